"""A worker is killed: nobody sees it any more after a while, and its sisters stay."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from goatherd import Goatherd
from goatherd.engine.reporter import LEEWAY, MISSED
from goatherd.model.process import ProcessRow
from tests.faults.watching import until

#: Seconds between two reports.
EVERY = 0.5
#: Seconds after which a silent process is taken for dead.
ALIVE = MISSED * EVERY + LEEWAY


@asynccontextmanager
async def worker(environment: Mapping[str, str]) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "goatherd", "worker", "shop:app"),
        cwd=Path(__file__).parent, env={**os.environ, **environment}, stdin=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@pytest.mark.timeout(180)
async def test_a_killed_worker_is_seen_no_more(tmp_path: Path) -> None:
    environment = {
        "GOATHERD_BROKER_URL": f"sqlite:///{tmp_path}/jobs.db",
        "GOATHERD_REPORT_EVERY": str(EVERY),
        "GOATHERD_GRACE_PERIOD": "0.1",
    }
    shop = Goatherd("shop", broker_url=environment["GOATHERD_BROKER_URL"])

    @shop.task(remote=True)
    async def linger(seconds: float) -> None:
        raise NotImplementedError("the workers do it")

    async with shop, worker(environment) as victim, worker(environment) as sister:
        records = await shop.session().control_records.processes()
        found: list[ProcessRow] = []

        async def pids() -> set[int]:
            found[:] = await records.find()
            return {row.state.pid for row in found}

        async def both() -> bool:
            return await pids() == {victim.pid, sister.pid}

        await until(both, "both workers to be seen")
        await linger.send(600.0)

        async def busy() -> bool:
            await pids()
            return sum(row.state.running_count for row in found) == 1

        await until(busy, "one of them to be seen at work")
        os.kill(victim.pid, signal.SIGKILL)
        await victim.wait()
        killed = time.monotonic()
        silent = next(row.silent for row in await records.find() if row.state.pid == victim.pid)

        async def alone() -> bool:
            return await pids() == {sister.pid}

        await until(alone, "the killed one to be forgotten")
        assert time.monotonic() - killed >= ALIVE - silent - 1.0, "it was taken for dead too soon"
        sister.terminate()

        async def none() -> bool:
            return await pids() == set()

        await until(none, "the other one to leave")
