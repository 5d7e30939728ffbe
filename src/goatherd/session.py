"""An app opened on one event loop: its ports and what stands on them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import TypeAlias

from goatherd.engine.calls import Calls, Manners
from goatherd.engine.enqueue import Sender
from goatherd.engine.means import Means
from goatherd.engine.tracked import Tracked
from goatherd.errors import DefinitionError
from goatherd.model.job import AnyJob
from goatherd.model.settings import Settings
from goatherd.model.topology import Queue
from goatherd.ports.clock import Clock
from goatherd.ports.events import Events
from goatherd.ports.telemetry import Telemetry
from goatherd.wiring import Ports, open_events, open_ports

log = logging.getLogger("goatherd.runs")

#: How ports are opened; tests put something between the app and its ports.
Opener: TypeAlias = Callable[[Settings, Clock], Awaitable[Ports]]


class Session:
    """What verbs use while the app is open; shared by nested openings on one loop."""

    def __init__(self, ports: Ports, clock: Clock, telemetry: Telemetry, settings: Settings) -> None:
        self.ports = ports
        self.clock = clock
        self.telemetry = telemetry
        self.users = 0
        self._settings = settings
        self._life = AsyncExitStack()
        self._opening = asyncio.Lock()
        self._events: Events | None = None
        #: Whether somebody in this process takes answers from queues that services share.
        self.takes_answers = False
        #: Does so, once the app has said how.
        self.answering: Callable[[], AbstractAsyncContextManager[object]] | None = None
        self.sender = Sender(ports.broker, clock, telemetry)
        self.tracked = Tracked(self.events, self.sender, clock)
        manners = Manners(
            deadline=settings.call_deadline,
            in_flight=settings.calls_in_flight,
            exclusive=settings.reply_queue == "exclusive",
        )
        self.means = Means(broker=ports.broker, courier=ports.courier, clock=clock, telemetry=telemetry)
        self.calls = Calls(self.means, self.sender, self.tracked, manners)

    @classmethod
    async def open(
        cls,
        settings: Settings,
        clock: Clock,
        telemetry: Telemetry,
        queues: Iterable[Queue],
        opener: Opener = open_ports,
    ) -> "Session":
        """Open the ports and make the queues that are missing."""
        ports = await opener(settings, clock)
        try:
            await ports.broker.declare(queues)
            session = cls(ports, clock, telemetry, settings)
            await session.calls.open()
        except BaseException:
            await ports.close()
            raise
        return session

    async def events(self) -> Events:
        """Where tracked jobs are noted; opened at first use."""
        async with self._opening:
            if self._events is None:
                if self._settings.event_store_is_local:
                    log.warning(
                        "The broker is on the network, but tracked jobs are noted in the file of %s, which other "
                        "machines do not see; set GOATHERD_EVENTS_URL=redis://…",
                        self._settings.event_store,
                    )
                self._events = await open_events(self._settings, self.clock)
                self._life.push_async_callback(self._events.close)
            return self._events

    async def call(self, job: AnyJob) -> object:
        """Ask and wait for the answer; raises JobFailed, CallTimeout, Unavailable or Refused."""
        if job.definition.answers is not None:
            await self.take_answers()
        return await self.calls.call(job)

    async def start(self, job: AnyJob) -> None:
        """Send a job whose state and result can be asked for by its id."""
        if job.definition.answers is None:
            raise DefinitionError(
                f"Task {job.definition.name!r} cannot be tracked: only tasks of a queue with answers_on= can, for now. "
                f"Use `send` to let it be done, or `call` to wait for its result."
            )
        await self.take_answers()
        await self.tracked.start(job)

    async def take_answers(self) -> None:
        """See to it that answers on shared queues are taken, by this process if by no other."""
        if self.takes_answers or self.answering is None:
            return
        await self.events()
        async with self._opening:
            if not self.takes_answers:
                await self._life.enter_async_context(self.answering())

    async def close(self) -> None:
        """Let go of everything; whoever still waits for an answer is told."""
        try:
            await self.calls.close()
            await self._life.aclose()
        finally:
            await self.ports.close()
