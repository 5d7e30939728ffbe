"""The sources of `goatherd top`, and all that was seen last as one look."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from goatherd.cli.top_sources import Look, Source
from goatherd.model.flow import Changes, Flow
from goatherd.model.head_age import HeadAges

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.desk.schedule_looks import ScheduleLook
    from goatherd.model.lane_wait import LaneWait
    from goatherd.model.listener import ListenerRow
    from goatherd.model.topology import QueueState
    from goatherd.ports.records import WorkerRecord

#: Listeners and held lanes that are counted.
MOST_LISTENERS, MOST_HELD = 10_000, 1000


@dataclass(frozen=True, kw_only=True)
class QueueLook:
    """One queue, and how it changes."""

    state: QueueState
    #: By how many waiting jobs a second it grows; None after the first look.
    growing: float | None
    flow: Flow


@dataclass(frozen=True, kw_only=True)
class TopLook:
    """All that was seen last; what was never seen is None."""

    app: str
    broker: str
    #: Seconds since the epoch.
    at: float
    queues: Sequence[QueueLook] | None = None
    workers: Sequence[WorkerRecord] | None = None
    schedules: Sequence[ScheduleLook] | None = None
    listeners: Sequence[ListenerRow] | None = None
    held_lanes: int | None = None
    #: What waits in lanes for workers, by queue.
    lane_waits: Sequence[LaneWait] | None = None
    #: Whether the broker counts what comes and goes.
    counts_flows: bool = False
    #: What cannot be seen now: since how many seconds (None: it never was), and why.
    troubles: Mapping[str, tuple[float | None, str]] = field(default_factory=dict)


class TopParts:
    """What an app has to be looked at; only what it uses is asked."""

    def __init__(self, app: Goatherd) -> None:
        from goatherd.wiring.flows import flows_of

        self._app = app
        self._changes = Changes()
        self._counts = flows_of(app.settings)
        self._ages = HeadAges()
        self.queues: Source[tuple[Sequence[QueueState], Sequence[WorkerRecord]]] = Source("queues", self._open_queues)
        self._flows: Source[Mapping[str, Flow]] = Source("rates", self._open_flows)
        self._schedules: Source[list[ScheduleLook]] = Source("schedules", self._open_schedules)
        self._listeners: Source[Sequence[ListenerRow]] = Source("listeners", self._open_listeners)
        self._lanes: Source[tuple[int, Sequence[LaneWait]]] = Source("lanes", self._open_lanes)

    @property
    def sources(self) -> list[Source[Any]]:
        """Those that this app needs."""
        app = self._app
        used: dict[Source[Any], bool] = {
            self.queues: True,
            self._flows: self._counts is not None,
            self._schedules: bool(app.ticks),
            self._listeners: bool(app.listener_book.listened()),
            self._lanes: bool(self._keyed),
        }
        return [source for source, wanted in used.items() if wanted]

    @property
    def _keyed(self) -> list[str]:
        """Queues of tasks with a key."""
        return sorted({task.queue for task in self._app.definitions() if task.lane is not None})

    def look(self) -> TopLook:
        """As it stands now; asks nobody."""
        from goatherd.cli.output import without_password

        seen = self.queues.seen
        return TopLook(
            app=self._app.name,
            broker=without_password(self._app.settings.broker_url),
            at=time.time(),
            queues=None if seen is None else [self._queue(state) for state in seen[0]],
            workers=None if seen is None else seen[1],
            schedules=self._schedules.seen,
            listeners=self._listeners.seen,
            held_lanes=None if self._lanes.seen is None else self._lanes.seen[0],
            lane_waits=None if self._lanes.seen is None else self._lanes.seen[1],
            counts_flows=self._counts is not None,
            troubles={each.name: (each.age, each.trouble) for each in self.sources if each.trouble is not None},
        )

    def _queue(self, state: QueueState) -> QueueLook:
        flow = (self._flows.seen or {}).get(state.name, Flow())
        return QueueLook(
            state=self._ages.of(state, certain=True), growing=self._changes.per_second(state.name), flow=flow
        )

    @asynccontextmanager
    async def _open_queues(self) -> AsyncIterator[Look[tuple[Sequence[QueueState], Sequence[WorkerRecord]]]]:
        async with self._app as app:
            ports = app.session().ports

            async def look() -> tuple[Sequence[QueueState], Sequence[WorkerRecord]]:
                also = {row.queue for row in self._listeners.seen or ()}
                states, workers = await ports.operations.queues(sorted(also)), await ports.workers.workers()
                self._changes.look(time.monotonic(), {state.name: state.ready for state in states})
                return states, workers

            yield look

    @asynccontextmanager
    async def _open_flows(self) -> AsyncIterator[Look[Mapping[str, Flow]]]:
        assert self._counts is not None, "otherwise it is not among the sources"
        counts = self._counts

        async def look() -> Mapping[str, Flow]:
            flows = await counts.flows()
            told = {name: flow.inflow for name, flow in flows.items() if flow.inflow is not None}
            self._ages.note(told, time.monotonic())
            return flows

        yield look

    @asynccontextmanager
    async def _open_schedules(self) -> AsyncIterator[Look[list[ScheduleLook]]]:
        from goatherd.cli.schedule_access import opened_schedules
        from goatherd.desk.schedule_looks import look_at_schedules

        async with opened_schedules(self._app) as operations:
            yield lambda: look_at_schedules(self._app, operations)

    @asynccontextmanager
    async def _open_listeners(self) -> AsyncIterator[Look[Sequence[ListenerRow]]]:
        from goatherd.cli.listener_access import opened_listeners

        async with opened_listeners(self._app) as records:
            yield lambda: records.find(limit=MOST_LISTENERS)

    @asynccontextmanager
    async def _open_lanes(self) -> AsyncIterator[Look[tuple[int, Sequence[LaneWait]]]]:
        from goatherd.cli.lane_access import opened_lanes

        async with opened_lanes(self._app) as operations:

            async def look() -> tuple[int, Sequence[LaneWait]]:
                held = await operations.find(condition="held", limit=MOST_HELD)
                return len(held), await operations.waiting(self._keyed)

            yield look
