"""A worker dies at a certain moment, and another comes: the run is done, and nothing of it twice that was on record."""

import asyncio
import os
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from goatherd import Goatherd
from scripts.servers.addresses import amqp_url, management, postgres_url
from scripts.servers.management import with_virtual_host
from tests.faults.lanes.pen import ROOT
from tests.faults.pipelines import fatal_drive
from tests.faults.pipelines.fatal_drive import DIES, MOMENTS, NAME, UNITS
from tests.faults.pipelines.journal import JOURNAL
from tests.faults.pipelines.judge import read_journal

#: Workers that start at the same time; seconds until one is dead, and until another has done the rest.
AT_ONCE, PATIENCE = 3, 60.0
#: Those at which most could go wrong.
SOME = (
    "after claim plan", "before result each/0", "after result each/1", "after result join", "before message join",
    "after spread each",
)  # fmt: skip


async def play_all(moments: Sequence[str], folder: Path, urls: Mapping[str, str]) -> None:
    """Each moment for itself, some at the same time."""
    places = asyncio.Semaphore(AT_ONCE)

    async def play(moment: str) -> None:
        async with places:
            await Life(folder / moment.replace("/", "-"), urls).play(moment)

    async with asyncio.TaskGroup() as group:
        for moment in moments:
            group.create_task(play(moment), name=moment)


class Life:
    """One run, and workers that come one after the other: the first one dies when it is told to."""

    def __init__(self, folder: Path, urls: Mapping[str, str]) -> None:
        folder.mkdir()
        self._folder = folder
        own = {"broker_url": f"sqlite:///{folder}/jobs.db", "events_url": f"sqlite:///{folder}/events.db", **urls}
        name = f"drive-{uuid4().hex[:8]}"
        self._environment = {
            **os.environ, **{f"GOATHERD_{key.upper()}": url for key, url in own.items()}, "GOATHERD_LEASE": "1",
            NAME: name, JOURNAL: str(folder),
        }  # fmt: skip
        self._app = Goatherd(name, lease=1, **own)  # type: ignore[arg-type]  # they are URLs by their names
        self._drive = fatal_drive.declare(self._app)

    async def play(self, moment: str) -> None:
        """A run is begun, a worker dies over it, and another does what is left."""
        async with self._app:
            run = await self._drive.options(id="r").start(2)
            async with self._worker(moment) as doomed, asyncio.timeout(PATIENCE):
                assert await doomed.wait() == -signal.SIGKILL, f"{moment}: {self._said()}"
            async with self._worker():
                try:
                    assert await run.result(timeout=PATIENCE) == [1, 2]
                except TimeoutError as error:
                    raise AssertionError(f"{moment}: the run did not end; {self._said()}") from error
        starts = Counter(start.unit.removeprefix("step/r/") for start in read_journal(self._folder).starts)
        # Only what was done and not on record is done again.
        again = moment.removeprefix("before result ")
        assert starts == {unit: 1 + (unit == again) for unit in UNITS}, moment

    @asynccontextmanager
    async def _worker(self, moment: str = "") -> AsyncIterator[asyncio.subprocess.Process]:
        with (self._folder / "worker.txt").open("ab") as log:
            worker = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "goatherd", "worker", f"{fatal_drive.__name__}:app", "--concurrency", "1",
                cwd=ROOT, env={**self._environment, DIES: moment},
                stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        try:
            yield worker
        finally:
            if worker.returncode is None:
                worker.kill()
            await worker.wait()

    def _said(self) -> str:
        return (self._folder / "worker.txt").read_text()[-2000:]


@pytest.mark.chaos
@pytest.mark.timeout(180)
async def test_some(tmp_path: Path) -> None:
    await play_all(SOME, tmp_path, {})


@pytest.mark.chaos
async def test_all_on_sqlite(tmp_path: Path) -> None:
    await play_all(MOMENTS, tmp_path, {})


@pytest.mark.chaos
@pytest.mark.servers("rabbitmq", "postgres")
async def test_all_on_servers(tmp_path: Path) -> None:
    with management().virtual_host() as host:
        urls = {"broker_url": with_virtual_host(amqp_url(), host), "records_url": postgres_url()}
        await play_all(MOMENTS, tmp_path, urls)
