"""Mischief does what its plan says, as often as it says."""

import asyncio
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest

from examples.kitchen.ai.mischief import Mischief, OnPurpose, Plan
from goatherd import Context

ROOT = Path(__file__).parents[4]
JOB = cast("Context", None)  # only a dying process looks at its job


async def outcomes(plan: Plan, jobs: int) -> list[bool]:
    """Whether each of so many jobs was done."""
    around = asynccontextmanager(Mischief(plan).around)

    async def one() -> bool:
        async with around(JOB):
            return True

    answers = await asyncio.gather(*(one() for _ in range(jobs)), return_exceptions=True)
    assert all(answer is True or isinstance(answer, OnPurpose) for answer in answers)
    return [answer is True for answer in answers]


async def test_a_share_of_the_jobs_fails() -> None:
    assert 60 < sum(await outcomes(Plan(fail=0.2, seed=1), 100)) < 95
    assert all(await outcomes(Plan(), 100))
    assert not any(await outcomes(Plan(fail=1), 100))


async def test_a_seed_makes_it_repeatable() -> None:
    assert await outcomes(Plan(fail=0.5, seed=7), 50) == await outcomes(Plan(fail=0.5, seed=7), 50)


async def test_a_share_of_the_jobs_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("examples.kitchen.ai.mischief.asyncio.sleep", sleep)
    await outcomes(Plan(slow=0.5, slowest=3, seed=1), 100)
    assert 30 < len(waits) < 70
    assert all(0 <= wait <= 3 for wait in waits)


PROGRAM = """
import asyncio
from contextlib import asynccontextmanager
from examples.kitchen.ai.mischief import Mischief, read_plan

class Job:
    job_id = "j1"

async def main():
    async with asynccontextmanager(Mischief(read_plan("die=1,seed={seed}")).around)(Job()):
        print("working", flush=True)
    print("alive", flush=True)

asyncio.run(main())
"""


def test_a_process_dies_before_its_work_or_after_it() -> None:
    printed: set[str] = set()
    for seed in range(20):
        ended: subprocess.CompletedProcess[str] = subprocess.run(
            [sys.executable, "-c", PROGRAM.format(seed=seed)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )
        assert ended.returncode == 1
        assert "AI_MISCHIEF ends this process during job j1" in ended.stderr
        printed.add(ended.stdout.strip())
        if printed == {"", "working"}:
            return
    pytest.fail(f"20 processes died, always at the same moment: {printed}")
