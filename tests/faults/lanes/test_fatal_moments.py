"""A worker dies at the very moment at which a lane goes on without its head: nothing is lost, nothing comes twice."""

import asyncio
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg
import pytest

from goatherd import Goatherd
from goatherd.model.dead_letter import LetterFilter
from goatherd.testing.suites.lane_store import LaneStore
from scripts.servers.addresses import postgres_url, redis_url
from tests.faults.lanes.judge import read_journal
from tests.faults.lanes.pen import ROOT
from tests.faults.watching import until

JOBS = [("a", 1), ("b", 1), ("a", 2), ("a", 3), ("b", 2), ("a", 4)]
#: Jobs that become dead letters, in this order.
DEAD = {"skip": [("a", 2)], "cancel_rest": [("a", 2), ("a", 3), ("a", 4)]}
MOMENTS = (
    "before the store is told", "after the store was told", "before the letter is kept", "after the letter was kept",
)  # fmt: skip
#: Workers that are at work at the same time.
AT_ONCE = asyncio.Semaphore(3)


class Life:
    """A store, its jobs, and workers that come one after the other."""

    def __init__(self, folder: Path, policy: Literal["skip", "cancel_rest"], lanes_url: str) -> None:
        folder.mkdir()
        self.folder, self.policy = folder, policy
        self._url = f"sqlite:///{folder}/jobs.db"
        self._name = f"flock-{uuid4().hex[:8]}"
        self._lanes_url = lanes_url
        self.app = Goatherd(self._name, broker_url=self._url, lanes_url=lanes_url, lease=1)
        self.tend = self.app.task(key="key", on_exhausted=policy)(tend)
        self.journal = folder / "journal"
        self.journal.mkdir()

    @asynccontextmanager
    async def worker(self, moment: str = ""):  # type: ignore[no-untyped-def]  # noqa: ANN201
        environment = {
            **os.environ, "GOATHERD_BROKER_URL": self._url, "GOATHERD_LANES_URL": self._lanes_url, "FLOCK_APP": self._name,
            "GOATHERD_LEASE": "1", "FLOCK_JOURNAL": str(self.journal), "FLOCK_POLICY": self.policy, "FLOCK_DIES": moment,
        }  # fmt: skip
        with (self.folder / "worker.log").open("ab") as log:
            worker = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "goatherd", "worker", "tests.faults.lanes.fatal_flock:app",
                cwd=ROOT, env=environment, stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        try:
            yield worker
        finally:
            if worker.returncode is None:
                worker.kill()
            await worker.wait()

    async def play(self, moment: str) -> None:
        async with AT_ONCE, self.app:
            await self.app.send_many(self.tend.job(*job) for job in JOBS)
            async with self.worker(moment) as doomed, asyncio.timeout(60):
                assert await doomed.wait() == -signal.SIGKILL, self.said()
            opened = await self.app.session().ports.open_lanes()
            async with self.worker():
                await until(lambda: self.is_over(opened.lanes))  # type: ignore[arg-type]
            await opened.lanes.close()
            await self.check()

    async def is_over(self, lanes: LaneStore) -> bool:
        return not await lanes.find() and not await lanes.letters(1)

    async def check(self) -> None:
        letters = [letter.original async for letter in self.app.session().ports.dead_letters.find(LetterFilter())]
        ids = [letter.id for letter in letters]
        assert len(ids) == len(set(ids)), "a letter came twice"
        assert [tuple(self.tend.arguments(letter)) for letter in letters] == DEAD[self.policy]

    def said(self) -> str:
        return (self.folder / "worker.log").read_text()[-2000:]


async def tend(key: str, number: int) -> None:
    """Stands for the flock's task of this name."""
    raise NotImplementedError
