"""The application: the ways to open, serve and ask it; what it consists of is in `declared`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar, Unpack, overload
from weakref import WeakKeyDictionary

from goatherd.definition import definition_of
from goatherd.engine.alerts.watch import AlertWatch
from goatherd.engine.flushes import Flusher
from goatherd.engine.intake import Intake
from goatherd.engine.listeners import Listeners
from goatherd.engine.meter import Meter
from goatherd.engine.router import Router
from goatherd.engine.sampler import Sampler
from goatherd.engine.topology.drift_watch import DriftWatch
from goatherd.engine.unreported import Unreported
from goatherd.errors import NotOpen
from goatherd.measuring import Exported, readings_of
from goatherd.model.health import Health
from goatherd.model.job import Job
from goatherd.model.settings import Settings, SettingsKeywords
from goatherd.pipeline import Pipeline
from goatherd.ports.clock import Clock, SystemClock
from goatherd.ports.tracer import Tracer
from goatherd.readiness import health_of
from goatherd.recurring import Recurring
from goatherd.reporting import Presence
from goatherd.roles import Role, doing, serving
from goatherd.run import Run
from goatherd.session import Opener, Session
from goatherd.task import Task
from goatherd.wiring import Ports, has_topology, metrics_text, open_ports

_P = ParamSpec("_P")
_R = TypeVar("_R")
_I = TypeVar("_I")
_O = TypeVar("_O")


class Goatherd(Recurring):
    """An application: its tasks and all that they need."""

    def __init__(self, name: str, **settings: Unpack[SettingsKeywords]) -> None:
        super().__init__(name, settings)
        self._sessions: dict[asyncio.AbstractEventLoop, Session] = {}
        #: Two tasks may enter at the same moment; the second waits for what the first opens.
        self._opening: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()
        #: Those that run in this process.
        self.routers: list[Router] = []
        self.hearing: list[Listeners] = []
        self.intakes: list[Intake] = []
        #: What flushes tallies now.
        self.flushers: list[Flusher] = []
        #: What looks whether the broker is as wanted.
        self.drift_watches: list[DriftWatch] = []
        #: What looks at the stores for metrics.
        self.samplers: list[Sampler] = []
        #: What tells of alerts.
        self.alert_watches: list[AlertWatch] = []
        self._exported = Exported(self)
        self.meter = Meter()
        #: What operators are not told yet, and who tells them, on each loop where this process has a role.
        self.unreported = Unreported()
        self.presences: WeakKeyDictionary[asyncio.AbstractEventLoop, Presence] = WeakKeyDictionary()
        self.clock: Clock = SystemClock()
        self.opener: Opener = self._open_ports

    def __repr__(self) -> str:
        return f"<Goatherd {self._name}>"

    async def __aenter__(self) -> Self:
        """Open the ports that the app uses, so that verbs work."""
        loop = asyncio.get_running_loop()
        async with self._opening.setdefault(loop, asyncio.Lock()):
            session = self._sessions.get(loop)
            if session is None:
                self._exported.prepare()
                keyed = any(task.lane is not None for task in self.definitions())
                declared = (self.settings, self.clock, self.meter, self.contracts(), self.opener)
                pipelines, ticks = self.pipeline_definitions(), self.tick_pipelines()
                wanted = definition_of(self) if has_topology(self.settings) else None
                session = await Session.open(
                    *declared, keyed=keyed, pipelines=pipelines, ticks=ticks, definition=wanted
                )
                session.chores.doing = lambda chore: doing(self, chore)
                self._open_listener_doors(session)
                self._sessions[loop] = session
                self._exported.begin(loop)
            session.users += 1
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None:
        loop = asyncio.get_running_loop()
        session = self._sessions[loop]
        session.users -= 1
        if session.users == 0:
            self._exported.end(loop)
            del self._sessions[loop]
            await session.close()

    async def _open_ports(self, settings: Settings, clock: Clock) -> Ports:
        return await open_ports(settings, clock, self.topology)

    def _open_listener_doors(self, session: Session) -> None:
        """Let those who send know of tasks that have many queues, which are made when they are needed."""
        book = self.listener_book
        listened = book.listened()
        session.sender.doors.know((each.task.name for each in listened), book.needed)
        for each in listened:
            self.meter.count_together(each.task.name, each.pattern)

    def serve(self, *roles: Role) -> AbstractAsyncContextManager[Goatherd]:
        """Open the app and run these roles inside this program."""
        return serving(self, roles)

    @overload
    def run(self, id: str) -> Run[Any]: ...
    @overload
    def run(self, id: str, of: Task[_P, _R]) -> Run[_R]: ...
    @overload
    def run(self, id: str, of: Pipeline[_I, _O]) -> Run[_O]: ...
    def run(self, id: str, of: Task[..., Any] | Pipeline[Any, Any] | None = None) -> Run[Any]:
        """A tracked job or a pipeline's run by its id; with `of` its result has that one's type."""
        return Run(self, id, None if of is None else of.definition)

    async def send_many(self, jobs: Iterable[Job[Any]]) -> list[str]:
        """Send jobs of any tasks in one go, in order; returns their ids."""
        return await self.session().send_many(jobs)

    async def health(self) -> Health:
        """The state of this process and of its queues."""
        return await health_of(self)

    def metrics(self) -> str:
        """This process's metrics in Prometheus text."""
        return metrics_text(readings_of(self))

    def sessions(self) -> list[Session]:
        """Those that are open now, on whatever event loop."""
        return list(self._sessions.values())

    def tracer(self) -> Tracer | None:
        """What begins spans for this app; None if nobody records any."""
        from goatherd.wiring import open_tracer

        return open_tracer(self.settings)

    def session(self) -> Session:
        """The open session of this event loop; raises NotOpen."""
        try:
            return self._sessions[asyncio.get_running_loop()]
        except (KeyError, RuntimeError) as error:
            raise NotOpen(self._name) from error
