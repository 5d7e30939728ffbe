"""Stories: what became of heads is told in batches, again and again while the store is away."""

import asyncio
import logging

import pytest

from goatherd.errors import Unavailable
from goatherd.model.lane import Commit, GiveUpHead, Release, TryAgain, unpacked
from goatherd.model.message import Message
from tests.unit.engine.hand_lanes import AWAY
from tests.unit.engine.lane_desk import Desk, burial, heads, settled_down


async def test_what_is_settled_meanwhile_goes_together(desk: Desk) -> None:
    desk.lanes.offer(*heads(4))
    first, *others = await desk.has(4)
    gate = asyncio.Event()
    desk.lanes.plan("exchange", gate)
    asked = len(desk.lanes.exchanges)
    desk.source.ack(first)
    await desk.lanes.notes.saw("exchanged", asked + 1)
    for delivery in others:
        desk.source.ack(delivery)
    gate.set()
    await desk.lanes.notes.saw("exchanged", asked + 2)
    assert [len(exchange.settled) for exchange in desk.lanes.exchanges[asked:]] == [1, 3]
    assert all(isinstance(settlement, Commit) for settlement in desk.lanes.settled())


async def test_a_retry_goes_back_with_what_it_says_and_its_delay(desk: Desk) -> None:
    desk.lanes.offer(*heads(1))
    [delivery] = await desk.has(1)
    following = Message(id="job 0", queue="comments", body=b"again", due=desk.clock.now() + 12)
    await desk.source.replace(delivery, following)
    [settlement] = desk.lanes.settled()
    assert isinstance(settlement, TryAgain)
    assert settlement.delay == 12
    message = unpacked(settlement.content)
    assert (message.body, message.due) == (b"again", None)


async def test_a_retry_that_is_due_waits_no_time(desk: Desk) -> None:
    desk.lanes.offer(*heads(1))
    [delivery] = await desk.has(1)
    await desk.source.replace(delivery, Message(id="job 0", queue="comments", body=b"", due=desk.clock.now() - 5))
    assert desk.lanes.settled()[0].delay == 0


async def test_handed_back_is_released(desk: Desk) -> None:
    desk.lanes.offer(*heads(2))
    await desk.source.hand_back(await desk.has(2))
    assert [type(settlement) for settlement in desk.lanes.settled()] == [Release, Release]


@pytest.mark.parametrize(("reason", "policy"), [("failed", None), ("crashed", None), ("expired", "skip")])
async def test_who_is_given_up_follows_the_lanes_policy_unless_nobody_wants_it(
    desk: Desk, reason: str, policy: str | None
) -> None:
    desk.lanes.offer(*heads(1))
    [delivery] = await desk.has(1)
    await desk.source.bury(delivery, burial(reason))
    [settlement] = desk.lanes.settled()
    assert isinstance(settlement, GiveUpHead)
    assert (settlement.policy, settlement.burial.reason) == (policy, reason)


async def test_a_held_lane_is_said_once_it_is_held(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    desk.lanes.offer(*heads(2))
    first, second = await desk.has(2)
    desk.lanes.gone.add(second.tag.claim.hold)
    with caplog.at_level(logging.ERROR, "goatherd.lanes"):
        await desk.source.bury(first, burial())
        await desk.source.bury(second, burial())
    assert caplog.text.count("is held until") == 1
    assert "Lane post_id=0 is held" in caplog.text


async def test_letters_are_carried_when_the_store_says_that_there_are_some(desk: Desk) -> None:
    desk.lanes.waiting_letters = True
    desk.lanes.wake()
    await desk.notes.saw("carried")


@pytest.mark.parametrize("trouble", [AWAY, ZeroDivisionError("ours")])
async def test_letters_that_cannot_be_carried_are_tried_again(desk: Desk, trouble: Exception) -> None:
    def fail() -> None:
        raise trouble

    desk.letters = fail
    desk.lanes.waiting_letters = True
    for times in (1, 2):
        desk.lanes.wake()
        await desk.notes.saw("carried", times)
        await settled_down()


async def test_an_exchange_without_an_answer_is_repeated_under_its_number(desk: Desk) -> None:
    desk.lanes.offer(*heads(1))
    [delivery] = await desk.has(1)
    asked = len(desk.lanes.exchanges)
    desk.lanes.plan("exchange", AWAY, AWAY, None)
    desk.source.ack(delivery)
    await desk.lanes.notes.saw("exchanged", asked + 3)
    assert len({exchange.number for exchange in desk.lanes.exchanges[asked : asked + 3]}) == 1
    await settled_down()
    assert desk.source.untold == 0


async def test_whoever_waits_for_a_settlement_waits_until_the_store_is_back(desk: Desk) -> None:
    desk.lanes.offer(*heads(1))
    [delivery] = await desk.has(1)
    desk.lanes.plan("exchange", AWAY, AWAY)
    await desk.source.hand_back([delivery])
    assert desk.source.untold == 0


async def test_a_fault_of_ours_is_told_to_who_waits_and_the_lanes_go_on(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    desk.lanes.offer(*heads(1))
    [delivery] = await desk.has(1)
    desk.lanes.plan("exchange", ZeroDivisionError("ours"))
    async with asyncio.timeout(20):
        with caplog.at_level(logging.ERROR, "goatherd.lanes"), pytest.raises(Unavailable):
            await desk.source.hand_back([delivery])
        assert "fault of Goatherd" in caplog.text
        # Whoever insists gets through.
        await desk.source.hand_back([delivery])
    assert desk.source.untold == 0
