"""Connections that are cut, stalled and delayed: each call ends by its deadline, in one way, with its own answer."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal

import pytest

from goatherd import Goatherd
from scripts.servers.proxy import Proxy
from tests.faults.arena import Arena
from tests.faults.callers import End, call, caller, calling, check, why
from tests.faults.history import History
from tests.faults.watching import until

pytestmark = [pytest.mark.servers, pytest.mark.timeout(120)]

CONCURRENCY = ("--concurrency", "50")


@pytest.fixture
async def arena(tmp_path: Path, proxied_url: str) -> AsyncIterator[Arena]:
    async with Arena(tmp_path, seed=11, broker_url=proxied_url) as opened:
        await opened.start_worker(*CONCURRENCY)
        await until(lambda: "Taking jobs" in opened.last_words(), "the worker")
        yield opened


async def in_waves(app: Goatherd, arena: Arena, proxy: Proxy, *, deadline: float) -> list[End]:
    """Calls that go out all the time while connections are cut and stalled."""
    answer = app.tasks["answer"]
    calls: list[asyncio.Task[End]] = []
    for wave in range(20):
        for number in range(20):
            milliseconds = arena.chance.choice((1, 20, 200))
            calls.append(asyncio.create_task(call(answer, wave * 20 + number, milliseconds, deadline)))
        await asyncio.sleep(arena.chance.uniform(0.05, 0.3))
        match arena.chance.choice(("cut", "stall", "delay", "nothing")):
            case "cut":
                proxy.cut()
            case "stall":
                proxy.stall()
                await asyncio.sleep(arena.chance.uniform(0.1, 0.6))
                proxy.flow()
            case "delay":
                proxy.delay = arena.chance.uniform(0.0, 0.05)
    proxy.delay = 0.0
    return list(await asyncio.gather(*calls))


@pytest.mark.parametrize("kind", ["durable", "exclusive"])
async def test_every_call_ends_in_time_and_in_one_way(
    arena: Arena, proxy: Proxy, proxied_url: str, kind: Literal["durable", "exclusive"]
) -> None:
    app, _ = caller(proxied_url, reply_queue=kind)
    async with app:
        ends = await in_waves(app, arena, proxy, deadline=6)
        ended = check(app, ends)
        assert ended.total() == 400
        assert set(ended) <= {"answered", "timeout", "unavailable"}, f"{ended}\n{why(ends)}"
        if kind == "durable":
            assert ended["answered"] >= 380, f"{ended}\n{why(ends)}\n{arena.last_words()}"
        # What came late was counted and dropped; nobody else's answer ever came here.
        assert app.meter.readings().strays.get("foreign", 0) == 0
        after = await calling(app.tasks["answer"], range(20), milliseconds=1, deadline=20)
        assert {end.outcome for end in after} == {"answered"}, f"{why(after)}\n{arena.last_words()}"
    await arena.stop_workers()


async def test_calls_under_way_survive_a_cut(arena: Arena, proxy: Proxy, proxied_url: str) -> None:
    app, answer = caller(proxied_url)
    async with app:
        calls = calling(answer, range(50), milliseconds=800, deadline=20)
        await until(lambda: len(History.read(arena.journal).starts) == 50, "the start of all calls")
        proxy.cut()
        ends = await calls
        assert check(app, ends) == {"answered": 50}, f"{why(ends)}\n{arena.last_words()}"
        starts = History.read(arena.journal).starts
        assert set(starts.values()) == {1}, "what runs goes on, and its answer is given once"
    await arena.stop_workers()


async def test_a_line_that_stays_dead_holds_no_call_beyond_its_deadline(
    arena: Arena, proxy: Proxy, proxied_url: str
) -> None:
    app, answer = caller(proxied_url, publish_deadline=30.0)
    async with app:
        await calling(answer, range(3), milliseconds=1, deadline=10)
        under_way = calling(answer, range(20), milliseconds=500, deadline=3)
        await until(lambda: len(History.read(arena.journal).starts) == 23, "the start of all calls")
        proxy.stall()
        fresh = calling(answer, range(20), milliseconds=1, deadline=3)
        ends = [*await under_way, *await fresh]
        assert {end.outcome for end in await under_way} == {"timeout"}, why(ends)
        assert {end.outcome for end in await fresh} == {"unavailable"}, "nothing confirms them"
        assert max(end.seconds for end in ends) < 4
        proxy.flow()
        after = await calling(answer, range(5), milliseconds=1, deadline=30)
        assert {end.outcome for end in after} == {"answered"}, why(after)
    await arena.stop_workers()
