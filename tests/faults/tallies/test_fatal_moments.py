"""Whoever flushes dies at every moment of it: every coin arrives, once and in order."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from scripts.servers.addresses import postgres_url, redis_url
from tests.faults.tallies.crowd import WORKER, Crowd
from tests.faults.tallies.gifts import Plan

MOMENTS = (
    "before totals are set apart", "while totals are set apart", "after totals were set apart",
    "before they are posted", "while they are posted", "when some are posted", "after they were posted",
)  # fmt: skip
#: Those at which most could go wrong.
WORST = (MOMENTS[1], MOMENTS[2], MOMENTS[5], MOMENTS[6])
PLAN = Plan(coins=20_000, gifts=400, streamers=12)


async def play(crowd: Crowd, moments: Sequence[str]) -> None:
    made = crowd.plan.made()
    share = len(made) // len(moments) + 1
    async with crowd.app, crowd.process(*WORKER):
        for number, moment in enumerate(moments):
            await crowd.give(made[number * share : (number + 1) * share])
            await crowd.dies(moment)
        await crowd.rest()
    assert crowd.kills == len(moments)
    # Not all at once at the end.
    assert crowd.check() > PLAN.streamers


@pytest.mark.timeout(180)
async def test_on_sqlite(tmp_path: Path) -> None:
    await play(Crowd(tmp_path, PLAN, every=0.05), WORST)


@pytest.mark.chaos
async def test_all_moments_on_sqlite(tmp_path: Path) -> None:
    await play(Crowd(tmp_path, PLAN, every=0.05), MOMENTS * 3)


@pytest.mark.chaos
@pytest.mark.servers("redis")
async def test_on_redis(tmp_path: Path) -> None:
    await play(Crowd(tmp_path, PLAN, redis_url(), every=0.05), MOMENTS * 3)


@pytest.mark.chaos
@pytest.mark.servers("postgres")
async def test_on_postgres(tmp_path: Path) -> None:
    await play(Crowd(tmp_path, PLAN, postgres_url(), every=0.05), MOMENTS * 3)
