"""A store of events whose calls arrive as the test wants."""

import asyncio
from collections.abc import Sequence
from typing import Literal

from goatherd.errors import Unavailable
from goatherd.model.admission import Append, Outcome
from goatherd.model.event import Entry, Position
from goatherd.model.job_state import JobState
from goatherd.model.reading import Reading
from goatherd.ports.events import PAGE, Events, Wake, Watch


class Muffled:
    """Satisfies `Events`, and stands between a test's followers and their store."""

    def __init__(self, store: Events) -> None:
        self.store = store
        #: What becomes of the store's calls.
        self.calls: Literal["heard", "lost", "doubled", "empty"] = "heard"
        self.away = False
        self.watches = 0
        self.reads = 0
        #: While it is clear, whoever reads waits.
        self.answers = asyncio.Event()
        self.answers.set()
        #: How many wait for an answer.
        self.asked = asyncio.Semaphore(0)

    async def append(self, job_id: str, append: Append) -> Outcome:
        return await self.store.append(job_id, append)

    async def state(self, job_id: str) -> JobState | None:
        self._be_there()
        return await self.store.state(job_id)

    async def read(self, job_id: str, after: Position | None, limit: int = PAGE) -> Reading | None:
        self.reads += 1
        self.asked.release()
        await self.answers.wait()
        self._be_there()
        return await self.store.read(job_id, after, limit)

    async def watch(self, job_id: str, wake: Wake) -> Watch:
        def muffled(entries: Sequence[Entry]) -> None:
            if self.calls != "lost":
                wake(() if self.calls == "empty" else entries)
            if self.calls == "doubled":
                wake(entries)

        self._be_there()
        self.watches += 1
        return await self.store.watch(job_id, muffled)

    async def keep(self, job_id: str, seconds: float) -> None:
        await self.store.keep(job_id, seconds)

    async def forget(self, job_id: str) -> None:
        await self.store.forget(job_id)

    async def close(self) -> None:
        await self.store.close()

    def _be_there(self) -> None:
        if self.away:
            raise Unavailable("The store is away.")
