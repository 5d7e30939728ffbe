"""A worker dies at the very moment at which a lane goes on without its head: nothing is lost, nothing comes twice."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from goatherd.model.lane import OnExhausted
from scripts.servers.addresses import postgres_url, redis_url
from tests.faults.lanes.fatal_life import FatalLife
from tests.faults.lanes.judge import Job

#: See `fatal_flock`, which may be imported only where its variables are set.
MOMENTS = (
    "before the store is told", "after the store was told", "before the letter is kept", "after the letter was kept",
)  # fmt: skip
#: What is done, in the order of each lane, and what becomes dead letters.
OUTCOMES: dict[OnExhausted, tuple[list[Job], list[Job]]] = {
    "skip": ([("a", 1), ("a", 3), ("a", 4)], [("a", 2)]),
    "cancel_rest": ([("a", 1)], [("a", 2), ("a", 3), ("a", 4)]),
}
#: Workers that start at the same time.
AT_ONCE = 3


async def play_all(folder: Path, url: Callable[[], str] | None = None) -> None:
    """Every moment, with each policy."""
    places = asyncio.Semaphore(AT_ONCE)

    async def play(policy: OnExhausted, moment: str) -> None:
        async with places:
            life = FatalLife(folder / f"{policy} {moment}", policy, None if url is None else url())
            await life.play(moment)
        await check(life, policy, moment)

    async with asyncio.TaskGroup() as group:
        for policy in OUTCOMES:
            for moment in MOMENTS:
                group.create_task(play(policy, moment), name=f"{policy} {moment}")


async def check(life: FatalLife, policy: OnExhausted, moment: str) -> None:
    done, dead = OUTCOMES[policy]
    assert await life.dead() == dead, f"{policy}, {moment}"
    runs = life.runs()
    # The hopeless one is tried once more if the store had not heard of its end, and else not.
    assert runs.count(("a", 2)) == 1 + (moment == MOMENTS[0]), f"{policy}, {moment}: {runs}"
    # What ran when the worker died, or had just ended, is done again in its place: effects are what is made once.
    in_order = [job for place, job in enumerate(runs) if job not in runs[:place]]
    assert [job for job in in_order if job[0] == "a" and job != ("a", 2)] == done, f"{policy}, {moment}: {runs}"
    assert [job for job in in_order if job[0] == "b"] == [("b", 1), ("b", 2)], f"{policy}, {moment}: {runs}"
    assert [job for job in runs if job[0] == "a"] == sorted(job for job in runs if job[0] == "a")


@pytest.mark.timeout(180)
async def test_on_sqlite(tmp_path: Path) -> None:
    await play_all(tmp_path)


@pytest.mark.chaos
@pytest.mark.servers("redis")
async def test_on_redis(tmp_path: Path) -> None:
    await play_all(tmp_path, redis_url)


@pytest.mark.chaos
@pytest.mark.servers("postgres")
async def test_on_postgres(tmp_path: Path) -> None:
    await play_all(tmp_path, postgres_url)
