"""Whoever sends while a queue or an exchange is replaced waits for it, and loses nothing."""

import asyncio

import pytest

from goatherd import Unavailable
from goatherd.engine.topology import quiet
from goatherd.model.blueprint import QueueSpec
from goatherd.model.stand_in import REPLACEMENTS_MARK, senders_mark_of
from goatherd.ports.broker import NoQueue
from tests.faults.replacements.by_hand import Surgery
from tests.faults.replacements.shop import CONTRACT, EXCHANGE, OWN, ROUTED, Shop, waits
from tests.faults.watching import until

pytestmark = [pytest.mark.servers, pytest.mark.timeout(180)]


async def test_what_is_sent_to_a_queue_that_is_away_waits_for_it(url: str, surgeon: Surgery) -> None:
    shop = Shop(url)
    async with shop.app:
        away = await surgeon.take_queue(CONTRACT)
        sending = [
            asyncio.create_task(shop.order.send("one")),
            asyncio.create_task(shop.app.send_many([shop.order.job(name) for name in "abc"])),
            asyncio.create_task(shop.order.options(deadline=60).call("answer")),
        ]
        for each in sending:
            await waits(each, 0.2)
        await away.put_back(**{"x-max-length": 1000})
        async with shop.app.serve("worker"):
            assert (await asyncio.gather(*sending))[2] == "answer"
            await shop.has_done("one", "a", "b", "c", "answer")


async def test_a_queue_that_can_be_unbound_keeps_nobody_waiting(url: str, surgeon: Surgery) -> None:
    shop = Shop(url)
    async with shop.app:
        for queue in (OWN, ROUTED):
            away = await surgeon.take_queue(queue)
            await shop.tasks[queue].send(f"to {queue}")
            await shop.tasks[queue].options(delay=0.1).send(f"later to {queue}")
            await away.put_back()
        async with shop.app.serve("worker"):
            await shop.has_done(*(f"{when}to {queue}" for queue in (OWN, ROUTED) for when in ("", "later ")))


async def test_nothing_is_sent_by_name_to_a_queue_that_may_be_deleted_any_moment(url: str, surgeon: Surgery) -> None:
    """What came in then would be lost, although the broker confirms it."""
    shop = Shop(url)
    mark = QueueSpec(name=senders_mark_of(CONTRACT), arguments=dict(REPLACEMENTS_MARK))
    async with shop.app.serve("worker"):
        await shop.order.send("before")
        await surgeon.plumbing.make_queue(mark)
        # What a look showed counts for a moment, after which nothing more may come.
        await asyncio.sleep(quiet.KNOWN_TO_SENDERS)
        sending = [
            asyncio.create_task(shop.order.send("one")),
            asyncio.create_task(shop.order.options(deadline=60).call("two")),
        ]
        await shop.write.send("another queue")
        for each in sending:
            await waits(each, 0.3)
        assert not {"one", "two"} & shop.done.keys()
        await surgeon.plumbing.drop_queue(mark.name, though_full=True)
        await asyncio.gather(*sending)
        await shop.has_done("before", "one", "two", "another queue")


@pytest.mark.parametrize("exchange", [EXCHANGE, "shop.work.v1"])
async def test_what_is_sent_to_an_exchange_that_is_away_waits_for_it_and_harms_no_other(
    url: str, surgeon: Surgery, exchange: str, caplog: pytest.LogCaptureFixture
) -> None:
    shop = Shop(url)
    task = shop.cook if exchange == EXCHANGE else shop.write
    async with shop.app.serve("worker"):
        away = await surgeon.take_exchange(exchange)
        sending = [asyncio.create_task(task.send(f"first {number}")) for number in range(100)]
        await until(lambda: f"The exchange '{exchange}' is being replaced" in caplog.text, "a look at it")
        await shop.order.send("one")
        opened = shop.broker.publisher.channels_opened
        sending += [asyncio.create_task(task.send(f"second {number}")) for number in range(100)]
        await shop.order.send("two")
        await shop.has_done("one", "two")
        assert shop.broker.publisher.channels_opened == opened, "what is known to be away costs no channel"
        await away.make()
        for each in sending:
            assert not each.done(), "it is there, and leads nowhere"
        await waits(sending[0], 0.2)
        await away.put_back()
        await asyncio.gather(*sending)
        names = [f"{which} {number}" for which in ("first", "second") for number in range(100)]
        await shop.has_done(*names)


async def test_delays_wait_for_what_they_go_through(url: str, surgeon: Surgery) -> None:
    shop = Shop(url)
    async with shop.app.serve("worker"):
        await shop.order.options(delay=0.1).send("known")
        await shop.has_done("known")
        away = await surgeon.take_exchange("shop.hold.v1")
        sending = [
            asyncio.create_task(shop.order.options(delay=0.1).send("the same")),
            asyncio.create_task(shop.write.options(delay=0.3).send("another")),
        ]
        for each in sending:
            await waits(each, 0.3)
        await away.put_back()
        await asyncio.gather(*sending)
        await shop.has_done("the same", "another")


async def test_what_takes_too_long_is_told(url: str, surgeon: Surgery) -> None:
    shop = Shop(url, publish_deadline=0.5)
    async with shop.app:
        queue, exchange = await surgeon.take_queue(CONTRACT), await surgeon.take_exchange(EXCHANGE)
        with pytest.raises(Unavailable, match=r"within 0\.5 s: the queue 'orders' is being replaced.*topology apply"):
            await shop.order.send("one")
        with pytest.raises(Unavailable, match=r"within 0\.5 s: the exchange 'kitchen' is being replaced"):
            await shop.cook.send("two")
        hold = await surgeon.take_exchange("shop.hold.v1")
        with pytest.raises(Unavailable, match=r"being replaced.*'shop\.hold\.v1'"):
            await shop.cook.options(delay=1).send("three")
        for away in (queue, exchange, hold):
            await away.put_back()
        await shop.order.send("one")
        await shop.cook.send("two")
        await shop.cook.options(delay=1).send("three")


async def test_what_is_missing_for_good_is_told_at_once(url: str, surgeon: Surgery) -> None:
    shop = Shop(url, publish_deadline=60)
    async with shop.app, asyncio.timeout(30):
        for queue in (CONTRACT, OWN):
            await surgeon.plumbing.drop_queue(queue)
            with pytest.raises(NoQueue, match=f"There is no queue '{queue}'"):
                await shop.tasks[queue].send("nobody gets it")
            with pytest.raises(Unavailable, match=f"There is no queue '{queue}'"):
                await shop.tasks[queue].options(deadline=50).call("nobody answers")
        await surgeon.plumbing.drop_exchange(EXCHANGE)
        with pytest.raises(NoQueue, match=f"There is no exchange '{EXCHANGE}'"):
            await shop.cook.send("nobody gets it")
