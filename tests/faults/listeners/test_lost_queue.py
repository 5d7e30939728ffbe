"""A listener whose queue was deleted comes back, also when the broker's word of it never came."""

import asyncio
import logging
import time

import pytest

from scripts.servers.proxy import Proxy
from tests.faults.listeners.crowd import crowd, stranger
from tests.faults.listeners.deaf_line import DeafLine

pytestmark = [pytest.mark.servers, pytest.mark.timeout(120)]

#: Seconds within which a deaf listener must hear again.
MENDED_WITHIN = 30.0


@pytest.mark.usefixtures("hasty")
async def test_a_queue_that_was_deleted_is_made_and_consumed_again(url: str, caplog: pytest.LogCaptureFixture) -> None:
    names = [f"matching-pvp-{number}" for number in range(5)]
    async with crowd(url) as listeners, stranger(url) as somebody:
        await listeners.declare(names)
        await listeners.listen(names)
        await somebody.delete(names[2])
        async with asyncio.timeout(30):
            while f"Recovered listener: {names[2]}" not in caplog.text:
                await asyncio.sleep(0.02)
        await listeners.hears(await listeners.send(names))
        restarts = [listeners.listeners[name].standing.restarts for name in names]
        assert restarts == [0, 0, 1, 0, 0]


@pytest.mark.usefixtures("hasty")
async def test_after_a_cut_all_come_back_though_one_never_can(proxy: Proxy, proxied_url: str, url: str) -> None:
    """Also their queues, if they are gone, and without anybody waiting for the one."""
    names = [f"matching-pvp-{number}" for number in range(60)]
    async with crowd(proxied_url) as listeners, stranger(url) as somebody:
        await listeners.declare(names)
        await listeners.listen(names)
        proxy.refuse()
        proxy.cut()
        for name in names[:10]:
            await somebody.delete(name)
        await somebody.lock(names[0])
        proxy.refuse(refusing=False)
        await asyncio.gather(*(listeners.stands(name, "running") for name in names[1:]))
        await listeners.hears(await listeners.send(names[1:], "after"))
        await listeners.stands(names[0], "quarantined")


async def _deaf(deaf_url: str, url: str, line: DeafLine) -> float:
    """Seconds that it took until a listener that was deaf heard again."""
    async with crowd(deaf_url) as listeners, stranger(url) as somebody:
        await listeners.declare(["a", "b"])
        await listeners.listen(["a", "b"])
        await listeners.hears(await listeners.send(["a", "b"], "before"))
        await somebody.delete("a")
        await somebody.make("a")
        async with asyncio.timeout(30):
            while not line.swallowed:
                await asyncio.sleep(0.02)
        assert listeners.listeners["a"].standing.condition == "running", "nobody has told it"
        since = time.monotonic()
        sent = await listeners.send(["a"] * 1, "while it is deaf")
        await listeners.hears(sent)
        took = time.monotonic() - since
        assert listeners.listeners["b"].standing.restarts == 0
        return took


@pytest.mark.usefixtures("hasty")
async def test_a_listener_that_went_deaf_hears_again(
    deaf_line: DeafLine, deaf_url: str, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    await _deaf(deaf_url, url, deaf_line)
    assert "The broker has no consumer of queue 'a'" in caplog.text
    assert "Recovered listener: a" in caplog.text


@pytest.mark.chaos
async def test_that_takes_less_than_half_a_minute(deaf_line: DeafLine, deaf_url: str, url: str) -> None:
    assert await _deaf(deaf_url, url, deaf_line) < MENDED_WITHIN


@pytest.mark.usefixtures("hasty")
async def test_a_consumer_with_a_channel_of_its_own_hears_again_too(
    deaf_line: DeafLine, deaf_url: str, url: str
) -> None:
    async with crowd(deaf_url) as listeners, stranger(url) as somebody:
        await listeners.declare(["fixed"])
        await listeners.broker.consume("fixed", 5, listeners._deliver)
        await somebody.delete("fixed")
        await somebody.make("fixed")
        await listeners.hears(await listeners.send(["fixed"]))
        assert deaf_line.swallowed
