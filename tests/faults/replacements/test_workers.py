"""Workers live through the replacement of what they take from and write to."""

import asyncio
from collections.abc import Sequence
from typing import Literal

import pytest

from goatherd.engine.dead_letters import DeadLetterOffice
from goatherd.model.dead_letter import LetterFilter
from tests.faults.replacements.by_hand import Surgery
from tests.faults.replacements.shop import CONTRACT, OWN, Shop, waits
from tests.faults.watching import until
from tests.interop.stage import letters_of, stored_letters

pytestmark = [pytest.mark.servers, pytest.mark.timeout(180)]

MODES: Sequence[Literal["create", "never"]] = ("create", "never")


async def made(url: str) -> None:
    """By somebody else, before."""
    async with Shop(url).app:
        pass


@pytest.mark.parametrize("declare", MODES)
async def test_a_worker_leaves_a_queue_that_is_replaced_and_takes_from_the_new_one(
    url: str, surgeon: Surgery, declare: str
) -> None:
    await made(url)
    shop = Shop(url, declare=declare)
    async with shop.app.serve("worker"):
        for queue, task in shop.tasks.items():
            await task.send(f"before {queue}")
        replaced = [await surgeon.take_queue(queue) for queue in shop.tasks]
        sending = [asyncio.create_task(task.send(f"meanwhile {queue}")) for queue, task in shop.tasks.items()]
        await waits(asyncio.create_task(shop.has_done(*(f"meanwhile {queue}" for queue in shop.tasks))), 0.5)
        assert not any(done.startswith("meanwhile") for done in shop.done)
        for away in replaced:
            await away.put_back()
        await asyncio.gather(*sending)
        for queue, task in shop.tasks.items():
            await task.send(f"after {queue}")
        await shop.has_done(*(f"{when} {queue}" for when in ("before", "meanwhile", "after") for queue in shop.tasks))


@pytest.mark.parametrize("declare", MODES)
async def test_a_queue_that_goes_without_a_word_is_waited_for(
    url: str, surgeon: Surgery, declare: str, caplog: pytest.LogCaptureFixture
) -> None:
    await made(url)
    shop = Shop(url, declare=declare)
    async with shop.app.serve("worker"):
        await shop.order.send("before")
        await shop.has_done("before")
        away = await surgeon.take_queue(CONTRACT, mark=False)
        await until(lambda: f"The queue '{CONTRACT}' is being replaced" in caplog.text, "somebody who misses it")
        # Longer than it takes to be tried, and refused, a few times.
        await asyncio.sleep(1)
        assert await surgeon.plumbing.crowd(CONTRACT) is None, "nobody else makes it"
        assert "could not be started" not in caplog.text
        await away.put_back()
        await shop.order.send("after")
        await shop.has_done("after")


async def test_a_worker_that_starts_meanwhile_waits_for_the_queue(url: str, surgeon: Surgery) -> None:
    await made(url)
    away = await surgeon.take_queue(CONTRACT)
    shop = Shop(url, declare="never")
    async with shop.app.serve("worker"):
        await shop.write.send("others are taken from")
        await shop.has_done("others are taken from")
        await away.put_back()
        await shop.order.send("and then this one")
        await shop.has_done("and then this one")


async def test_a_job_that_waits_for_its_retry_comes_back_to_the_new_queue(url: str, surgeon: Surgery) -> None:
    shop = Shop(url)
    async with shop.app.serve("worker"):
        await shop.write.send("again please")
        await shop.has_done("again please")
        await (await surgeon.take_queue(OWN)).put_back()
        await shop.has_done("again please", times=2)
        assert await stored_letters(shop.app) == []


async def test_word_of_dead_letters_is_moved_with_their_queue(url: str, surgeon: Surgery) -> None:
    shop = Shop(url)
    letters = letters_of(shop.app)
    async with shop.app.serve("worker"):
        away = await surgeon.take_queue("shop.dead-letters")
        await shop.order.send("spoilt milk")
        paused = await surgeon.take_queue(OWN)
        await shop.write.options(deadline=0.2).send("too late")
        await until(lambda: _has_letters(shop, 2), "the letters, of ourselves and of the broker")
        await paused.put_back()
        await away.put_back()
        told = [await letters.next(), await letters.next()]
        assert {letter.reason for letter in told} == {"gave_up", "expired"}


async def test_dead_letters_wait_for_their_exchange_and_for_their_queue(url: str, surgeon: Surgery) -> None:
    shop = Shop(url)
    async with shop.app.serve("worker"):
        exchange = await surgeon.take_exchange("shop.dead.v1")
        await shop.write.send("never read")
        await shop.write.send("but the next")
        await shop.has_done("but the next")
        queue = await surgeon.take_queue("shop.dead.v1")
        looking = asyncio.create_task(stored_letters(shop.app))
        await waits(looking, 0.3)
        await queue.put_back()
        assert await looking == []
        await exchange.put_back()
        await until(lambda: _has_letters(shop), "the letter")


async def _has_letters(shop: Shop, count: int = 1) -> bool:
    return len(await stored_letters(shop.app)) == count


async def test_a_letter_is_replayed_into_the_new_queue(url: str, surgeon: Surgery) -> None:
    shop = Shop(url)
    async with shop.app.serve("worker"):
        await shop.order.send("spoilt milk")
        await until(lambda: _has_letters(shop), "the letter")
        away = await surgeon.take_queue(CONTRACT)
        replaying = asyncio.create_task(_replay(shop))
        await waits(replaying, 0.3)
        await away.put_back()
        await replaying
        await shop.has_done("spoilt milk", times=2)


async def _replay(shop: Shop) -> None:
    office = DeadLetterOffice(shop.app.session().ports.dead_letters, shop.app.format_of)
    assert [count async for count in office.replay(LetterFilter())] == [1]
