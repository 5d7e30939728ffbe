"""A store, jobs in it, and workers that come one after the other: the first one dies when it is told to."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

from goatherd import Goatherd
from goatherd.model.dead_letter import LetterFilter
from goatherd.model.lane import OnExhausted
from goatherd.wiring import OpenLanes
from tests.faults.lanes.judge import Job, read_journal
from tests.faults.lanes.pen import ROOT
from tests.faults.watching import until

APP = "tests.faults.lanes.fatal_flock:app"
JOBS: list[Job] = [("a", 1), ("b", 1), ("a", 2), ("a", 3), ("b", 2), ("a", 4)]
#: Seconds until a worker is dead, and until another has done the rest.
PATIENCE = 60.0


class FatalLife:
    """One store, or one app on a store that many share."""

    def __init__(self, folder: Path, policy: OnExhausted, lanes_url: str | None = None) -> None:
        self._folder = folder
        self._journal = folder / "journal"
        self._journal.mkdir(parents=True)
        name, url = f"flock-{uuid4().hex[:8]}", f"sqlite:///{folder}/jobs.db"
        self.app = Goatherd(name, broker_url=url, lanes_url=lanes_url or url, lease=1)
        self._tend = self.app.task(key="key", on_exhausted=policy)(tend)
        self._environment = {
            **os.environ, "GOATHERD_BROKER_URL": url, "GOATHERD_LANES_URL": lanes_url or url, "GOATHERD_LEASE": "1",
            "FLOCK_APP": name, "FLOCK_JOURNAL": str(self._journal), "FLOCK_POLICY": policy,
        }  # fmt: skip
        self._sent: dict[str, Job] = {}

    async def play(self, moment: str) -> None:
        """Jobs are sent, a worker dies, and another does what is left."""
        async with self.app:
            ids = await self.app.send_many([self._tend.job(*job) for job in JOBS])
            self._sent = dict(zip(ids, JOBS, strict=True))
            async with self._worker(moment) as doomed, asyncio.timeout(PATIENCE):
                assert await doomed.wait() == -signal.SIGKILL, self._said()
            opened = await self.app.session().ports.open_lanes()
            try:
                async with self._worker():
                    await until(lambda: _is_over(opened), f"the end; {self._said()}", PATIENCE)
            finally:
                await opened.lanes.close()

    async def dead(self) -> list[Job]:
        """The jobs of all dead letters, oldest first."""
        async with self.app:
            letters = self.app.session().ports.dead_letters
            return [self._sent[letter.original.id] async for letter in letters.find(LetterFilter())]

    def runs(self) -> list[Job]:
        """Jobs in the order in which they were begun, also those that were begun again."""
        runs = sorted(read_journal(self._journal).runs, key=lambda run: run.start)
        return [run.job for run in runs]

    @asynccontextmanager
    async def _worker(self, moment: str = "") -> AsyncIterator[asyncio.subprocess.Process]:
        with (self._folder / "worker.log").open("ab") as log:
            worker = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "goatherd", "worker", APP,
                cwd=ROOT, env={**self._environment, "FLOCK_DIES": moment},
                stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        try:
            yield worker
        finally:
            if worker.returncode is None:
                worker.kill()
            await worker.wait()

    def _said(self) -> str:
        return (self._folder / "worker.log").read_text()[-2000:]


async def _is_over(opened: OpenLanes) -> bool:
    return not await opened.operations.find() and not await opened.lanes.letters(1)


async def tend(key: str, number: int) -> None:
    """Stands for the flock's task of this name."""
    raise NotImplementedError
