"""What operators see of a replacement that is under way, and what they cannot do meanwhile."""

import asyncio

import pytest

from goatherd import Unavailable
from goatherd.model.blueprint import BindingSpec, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.stand_in import REPLACEMENTS_MARK, pause_mark_of
from goatherd.model.topology import QueueState
from tests.faults.replacements.by_hand import Surgery
from tests.faults.replacements.shop import CONTRACT, OWN, Shop

pytestmark = [pytest.mark.servers, pytest.mark.timeout(180)]


async def state_of(shop: Shop, queue: str) -> QueueState:
    states = await shop.app.session().ports.operations.queues()
    return next(state for state in states if state.name == queue)


@pytest.mark.parametrize("queue", [CONTRACT, OWN])
async def test_the_queue_is_told_of_with_what_waits_aside(url: str, surgeon: Surgery, queue: str) -> None:
    shop = Shop(url)
    async with shop.app:
        await shop.app.send_many([shop.tasks[queue].job(name) for name in "abc"])
        assert not (await state_of(shop, queue)).replaced
        away = await surgeon.take_queue(queue)
        state = await state_of(shop, queue)
        assert (state.ready, state.paused, state.replaced) == (3, True, True)
        health = await shop.app.health()
        assert health.ready, "it is as well as one that waits for an operator"
        assert any(f"queue {queue}: it is being replaced" in reason for reason in health.reasons)
        await away.put_back()
        state = await state_of(shop, queue)
        assert (state.ready, state.paused, state.replaced) == (3, False, False)
        assert (await shop.app.health()).reasons == []


async def test_it_is_neither_paused_nor_resumed_meanwhile(url: str, surgeon: Surgery) -> None:
    shop = Shop(url)
    async with shop.app.serve("worker"):
        controls = shop.app.session().ports.controls
        away = await surgeon.take_queue(CONTRACT)
        with pytest.raises(Unavailable, match=r"'orders' is being replaced, and paused until that is done\. Pause it"):
            await controls.pause(CONTRACT)
        with pytest.raises(Unavailable, match=r"'orders' is being replaced.*go on by themselves.*topology apply"):
            await controls.resume(CONTRACT)
        assert await controls.paused() == {CONTRACT}
        await away.put_back()
        await controls.pause(CONTRACT)
        assert await controls.paused() == {CONTRACT}
        await controls.resume(CONTRACT)
        await shop.order.send("soup")
        await shop.has_done("soup")


async def test_a_mark_of_which_nothing_else_is_left_can_be_taken_away(url: str, surgeon: Surgery) -> None:
    shop = Shop(url)
    async with shop.app:
        await surgeon.plumbing.make_queue(
            QueueSpec(name=pause_mark_of(CONTRACT), arguments=dict(REPLACEMENTS_MARK)),
        )
        controls = shop.app.session().ports.controls
        await controls.resume(CONTRACT)
        assert await controls.paused() == frozenset()


async def test_an_unknown_queue_is_still_told(url: str) -> None:
    shop = Shop(url)
    async with shop.app, asyncio.timeout(30):
        controls = shop.app.session().ports.controls
        for act in (controls.pause, controls.resume):
            with pytest.raises(Unavailable, match="There is no queue 'nowhere'"):
                await act("nowhere")


async def test_no_question_whether_it_is_replaced_becomes_a_dead_letter(url: str, surgeon: Surgery) -> None:
    """Policies often give every queue an exchange for dead letters, and a mark is a queue."""
    plumbing = surgeon.plumbing
    await plumbing.make_exchange(ExchangeSpec(name="dlx", type="fanout"))
    await plumbing.make_queue(QueueSpec(name="dlq", type="classic"))
    await plumbing.bind(BindingSpec(source="dlx", destination="dlq"))
    await plumbing.set_policy(PolicySpec(name="all", pattern="", definition={"dead-letter-exchange": "dlx"}))
    shop = Shop(url)
    async with shop.app.serve("worker"):
        await plumbing.make_queue(QueueSpec(name=pause_mark_of(OWN), arguments=dict(REPLACEMENTS_MARK)))
        for _ in range(20):
            assert await shop.app.session().ports.controls.paused() == {OWN}
        crowd = await plumbing.crowd("dlq")
        assert crowd is not None
        assert crowd.messages == 0
