"""Listeners come and go by the thousand under traffic: nothing is lost, and nothing of them stays behind."""

import asyncio
import gc

import pytest

from goatherd.adapters.rabbitmq import hearing
from goatherd.adapters.rabbitmq.subscription import Subscription
from tests.faults.listeners.crowd import Crowd, crowd

pytestmark = [pytest.mark.servers, pytest.mark.timeout(300)]

#: Queues whose listeners come and go.
RESTLESS = 20


def _alive() -> tuple[int, int]:
    """Asyncio tasks, and subscriptions that something still refers to."""
    gc.collect()
    return len(asyncio.all_tasks()), sum(isinstance(each, Subscription) for each in gc.get_objects())


def _is_more_than(before: tuple[int, int]) -> bool:
    return any(now > then for now, then in zip(_alive(), before, strict=True))


async def _coming_and_going(listeners: Crowd, names: list[str], rounds: int) -> None:
    for number in range(rounds):
        name = names[number % len(names)]
        await listeners.forget(name)
        await listeners.declare([name])
        await listeners.listen([name])


async def _traffic(listeners: Crowd, names: list[str], ended: asyncio.Event) -> set[str]:
    sent: set[str] = set()
    while not ended.is_set():
        sent |= await listeners.send(names, f"{len(sent)}")
        await asyncio.sleep(0)
    return sent


@pytest.mark.parametrize("rounds", [40, pytest.param(1000, marks=pytest.mark.chaos)])
async def test_nothing_is_lost_and_nothing_stays(url: str, rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing, "EVERY", 0.2)
    names = [f"queue-game-mode-type-pool-{number}" for number in range(RESTLESS)]
    # Some of other tests may not be gone yet.
    at_first = _alive()[1]
    async with crowd(url) as listeners:
        await listeners.declare(names)
        await listeners.listen(names)
        await listeners.hears(await listeners.send(names, "first"))
        before, channels = _alive(), listeners.broker._hosting.channels
        ended = asyncio.Event()
        sending = asyncio.create_task(_traffic(listeners, names, ended), name="traffic")
        await _coming_and_going(listeners, names, rounds)
        ended.set()
        await listeners.hears(await sending)
        assert listeners.conditions() == {"running": RESTLESS}
        async with asyncio.timeout(30):
            # What was begun last may still be on its way out.
            while _is_more_than(before) or listeners.broker._hosting.channels != channels:
                await asyncio.sleep(0.1)
        await asyncio.gather(*(listeners.forget(name) for name in names))
        async with asyncio.timeout(30):
            while listeners.broker._hosting.channels or _alive()[1] > at_first:
                await asyncio.sleep(0.1)
