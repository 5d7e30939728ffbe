"""Workers of the newsroom, and one who watches what they write."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from goatherd import Goatherd, Run
from goatherd.events import Event, Snapshot, Started, Token

#: Seconds after which a story gives up waiting.
PATIENCE = 60.0


class Press:
    """One broker, one store of events, and workers that can be killed."""

    def __init__(self, folder: Path, events_url: str | None = None) -> None:
        self._folder = folder
        self.journal = folder / "journal"
        self.journal.touch()
        broker_url = f"sqlite:///{folder}/jobs.db"
        self._environment = {
            "GOATHERD_BROKER_URL": broker_url,
            "GOATHERD_EVENTS_URL": events_url or broker_url,
            "NEWSROOM_JOURNAL": str(self.journal),
        }
        self.app = Goatherd("newsroom", broker_url=broker_url, events_url=events_url or broker_url)

        @self.app.task(remote=True)
        async def report(words: int, pause: float) -> tuple[str, float]:
            raise NotImplementedError("the newsroom does this")

        self.report = report
        self._workers: list[asyncio.subprocess.Process] = []

    async def start_worker(self, **more: str) -> asyncio.subprocess.Process:
        with (self._folder / f"worker-{len(self._workers)}.log").open("ab") as log:
            worker = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "goatherd", "worker", "newsroom:app"),
                cwd=Path(__file__).parent, env={**os.environ, **self._environment, **more},
                stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        self._workers.append(worker)
        return worker

    async def stop_worker(self, worker: asyncio.subprocess.Process) -> None:
        worker.terminate()
        async with asyncio.timeout(PATIENCE):
            await worker.wait()

    async def wrote(self, what: str, times: int = 1) -> None:
        """Return when the journal says it so often."""
        async with asyncio.timeout(PATIENCE):
            while self.marks(what) < times:
                await asyncio.sleep(0.02)

    def marks(self, what: str) -> int:
        return sum(line.startswith(what) for line in self.journal.read_text().splitlines())

    def said(self) -> str:
        """The ends of the workers' logs."""
        return "\n".join(log.read_text()[-2000:] for log in sorted(self._folder.glob("worker-*.log")))

    async def close(self) -> None:
        for worker in self._workers:
            if worker.returncode is None:
                worker.kill()
            await worker.wait()


@asynccontextmanager
async def printing(folder: Path, events_url: str | None = None) -> AsyncIterator[Press]:
    """A press with its app open, to start jobs and to watch them."""
    press = Press(folder, events_url)
    try:
        async with press.app:
            yield press
    finally:
        await press.close()


class Reader:
    """One who watches a job to its end and has its text as the events tell it."""

    def __init__(self, run: Run[Any]) -> None:
        self._run = run
        self.text = ""
        self.events: list[Event] = []
        self._more = asyncio.Event()
        self.reading = asyncio.create_task(self._read(), name="read")

    @property
    def starts(self) -> int:
        return sum(isinstance(event, Started) for event in self.events)

    async def has_read(self, tokens: int) -> None:
        """Return when it has seen so many tokens since the beginning."""
        async with asyncio.timeout(PATIENCE):
            while sum(isinstance(event, Token) for event in self.events) < tokens:
                self._more.clear()
                await self._more.wait()

    async def to_the_end(self) -> Event:
        async with asyncio.timeout(PATIENCE):
            await self.reading
        return self.events[-1]

    async def _read(self) -> None:
        async for event in self._run.events():
            self.events.append(event)
            match event:
                case Started():
                    self.text = ""
                case Token():
                    self.text += event.text
                case Snapshot():
                    self.text = event.text
            self._more.set()
