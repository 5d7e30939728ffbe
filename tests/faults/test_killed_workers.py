"""Workers are killed again and again: no accepted job is lost and no healthy one is given up."""

import asyncio
from pathlib import Path

import pytest

from tests.faults.arena import Arena
from tests.faults.herd import work
from tests.faults.history import History, Verdict, judge

WORKERS = 3
OPTIONS = ("--concurrency", "8")
#: What one kill can make run again: what ran, and what had just ended and was not acked yet; all of it was held.
HELD = 16


async def run_with_kills(arena: Arena, jobs: int, pause: tuple[float, float]) -> tuple[list[str], Verdict]:
    """Send jobs of 5 to 50 ms while workers are killed, until everything is done."""
    async with arena.app:
        sender = Sender(arena, jobs)
        for _ in range(WORKERS):
            await arena.start_worker(*OPTIONS)
        sending = asyncio.create_task(sender.send_all(), name="sender")
        while not sending.done() or len(History.read(arena.journal).ends) < jobs * 0.97:
            await asyncio.sleep(arena.chance.uniform(*pause))
            await arena.kill_one(*OPTIONS)
        accepted = await sending
        await arena.at_rest(accepted)
        return accepted, judge(accepted, History.read(arena.journal), await arena.dead_jobs())


class Sender:
    def __init__(self, arena: Arena, jobs: int) -> None:
        self._arena = arena
        self._jobs = jobs

    async def send_all(self) -> list[str]:
        accepted: list[str] = []
        for start in range(0, self._jobs, 500):
            batch = range(start, min(start + 500, self._jobs))
            made = [work.job(milliseconds=self._arena.chance.randint(5, 50)) for _ in batch]
            accepted += await self._arena.app.send_many(made)
        return accepted


def told(arena: Arena, accepted: list[str], verdict: Verdict) -> str:
    return (
        f"{len(accepted)} jobs, {arena.kills} kills, {verdict.repeats} repeated runs, "
        f"{len(verdict.lost)} lost, {len(verdict.dead)} dead"
    )


@pytest.mark.timeout(120)
async def test_kills_in_a_short_run_lose_nothing(tmp_path: Path) -> None:
    async with Arena(tmp_path, seed=7) as arena:
        accepted, verdict = await run_with_kills(arena, jobs=5_000, pause=(0.4, 1.0))
        assert arena.kills >= 5
        assert (verdict.lost, verdict.dead, verdict.unasked) == (frozenset(),) * 3, told(arena, accepted, verdict)
        assert verdict.repeats <= arena.kills * HELD, "only what a killed worker held may run again"


@pytest.mark.chaos
async def test_a_hundred_thousand_jobs_survive_thirty_kills(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with Arena(tmp_path, seed=2026) as arena:
        accepted, verdict = await run_with_kills(arena, jobs=100_000, pause=(2.0, 5.0))
        with capsys.disabled():
            print(f"\n{told(arena, accepted, verdict)}")  # noqa: T201 - the figures of a long run are for a person
        assert arena.kills >= 30
        assert (verdict.lost, verdict.dead, verdict.unasked) == (frozenset(),) * 3
        assert verdict.repeats <= arena.kills * HELD
