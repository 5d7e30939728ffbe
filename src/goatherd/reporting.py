"""What a process with a role tells operators of itself."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING

from goatherd.engine.memory import memory_in_use
from goatherd.engine.reporter import Reporter
from goatherd.errors import NotOpen
from goatherd.model.health import Health
from goatherd.model.ids import new_id
from goatherd.model.process import MOST_TOLD, ProcessReport, ProcessState
from goatherd.readiness import health_of
from goatherd.wiring import ControlRecords

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.engine.worker import Worker

#: Seconds for which it is good enough how the process was, if it was well and if not: to ask again costs a question to
#: each of its stores.
WELL_FOR, ILL_FOR = 15.0, 5.0
#: Roles that use the records anyway, also where these are in a file that only this machine sees.
RECORDING = frozenset({"scheduler", "router", "dashboard"})
#: Of what is wrong, so many things are told at most.
MOST_REASONS = 20
#: A process of which nothing else is known.
WELL = Health(ready=True, reasons=(), ports={}, queues={}, loop_alive=True, last_heartbeat=datetime.now(UTC))


@dataclass(slots=True)
class StreamCounts:
    """What a gateway counts of one app."""

    connections: int = 0
    events: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """One role of the process, and what it can tell."""

    role: str
    worker: Worker | None = None
    #: Where a worker takes from.
    queues: Sequence[str] = ()
    streams: StreamCounts | None = None
    #: How it is, where that is not known from the app.
    health: Callable[[], Awaitable[Health]] | None = None


@asynccontextmanager
async def reporting(app: Goatherd, part: Part) -> AsyncIterator[None]:
    """Let operators see that this process has a role, until the block ends; several are told of as one process."""
    if not app.settings.report_every:
        yield
        return
    loop = asyncio.get_running_loop()
    if loop not in app.presences:
        app.presences[loop] = Presence(app)
    presence = app.presences[loop]
    presence.begin(part)
    try:
        yield
    finally:
        if presence.has_only(part):
            # Whoever has a role afterwards is another one, for this one's reports may not have arrived.
            del app.presences[loop]
        await presence.end(part)


class Presence:
    """A process, on one loop, as one app's operators see it; satisfies `News`."""

    def __init__(self, app: Goatherd) -> None:
        self._app = app
        self._host, self._pid = socket.gethostname(), os.getpid()
        self._id = f"{self._host}:{self._pid}:{new_id()[-8:]}"
        self._started = app.clock.now()
        self._parts: list[Part] = []
        #: Events of streams that were told, and those of roles that ended before they could be.
        self._streamed: dict[Part, int] = {}
        self._left_over = 0
        self._health: tuple[float, Health] | None = None
        self._open: tuple[ControlRecords, Reporter] | None = None

    def begin(self, part: Part) -> None:
        """It has one role more."""
        self._parts.append(part)
        if self._open is not None:
            self._open[1].nudge()
        elif self._is_wanted():
            records = ControlRecords(self._app.settings, self._app.clock)
            reporter = Reporter(records.processes, self, self._app.settings.report_every)
            self._open = records, reporter
            reporter.start()

    def has_only(self, part: Part) -> bool:
        """Whether that is its last role."""
        return self._parts == [part]

    async def end(self, part: Part) -> None:
        """It has one role less; with the last one it leaves."""
        if self._open is not None and self.has_only(part):
            (records, reporter), self._open = self._open, None
            try:
                await reporter.stop()
            finally:
                await records.close()
        self._left_over += self._take_events(part)
        self._streamed.pop(part, None)
        self._parts.remove(part)
        if self._open is not None:
            self._open[1].nudge()

    def _is_wanted(self) -> bool:
        """Where the records are in a file of this machine that nothing else here needs, none is made for this."""
        settings = self._app.settings
        nameless = settings.records_url is None and settings.record_store_is_local
        return not nameless or any(part.role in RECORDING for part in self._parts)

    async def state(self) -> ProcessState:
        parts, health = self._parts, await self._how_it_is()
        workers = [part.worker for part in parts if part.worker is not None]
        jobs = sorted((job for worker in workers for job in worker.jobs()), key=lambda job: job.since)
        return ProcessState(
            id=self._id,
            host=self._host,
            pid=self._pid,
            roles=tuple(dict.fromkeys(part.role for part in parts)),
            version=_version(),
            started=self._started,
            queues=tuple(dict.fromkeys(queue for part in parts for queue in part.queues)),
            concurrency=sum(worker.concurrency for worker in workers),
            running=tuple(jobs[:MOST_TOLD]),
            running_count=len(jobs),
            memory=memory_in_use(),
            streams=sum(part.streams.connections for part in parts if part.streams is not None),
            ready=health.ready,
            reasons=tuple(health.reasons[:MOST_REASONS]),
        )

    def report(self, state: ProcessState, number: int) -> ProcessReport:
        taken = self._app.unreported.take(self._app.meter.readings)
        events = self._left_over + sum(map(self._take_events, self._parts))
        self._left_over = 0
        return ProcessReport(
            state=state, number=number, counted=taken.counted, seconds=taken.seconds, stream_events=events
        )

    def _take_events(self, part: Part) -> int:
        if part.streams is None:
            return 0
        news = part.streams.events - self._streamed.get(part, 0)
        self._streamed[part] = part.streams.events
        return news

    async def _how_it_is(self) -> Health:
        now = asyncio.get_running_loop().time()
        if self._health is None or now >= self._health[0]:
            health = await self._ask()
            self._health = now + (WELL_FOR if health.ready else ILL_FOR), health
        return self._health[1]

    async def _ask(self) -> Health:
        try:
            self._app.session()
        except NotOpen:
            asked = next((part.health for part in self._parts if part.health is not None), None)
            return WELL if asked is None else await asked()
        return await health_of(self._app)


@cache
def _version() -> str:
    return metadata.version("goatherd")
