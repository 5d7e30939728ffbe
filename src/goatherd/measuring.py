"""What metrics tell of an app: what this process has counted, and what its scheduler last saw of what all share."""

from __future__ import annotations

from asyncio import AbstractEventLoop
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from goatherd.engine.keyed_looks import lane_look, tally_look
from goatherd.engine.queue_looks import QueueLooks, letter_look
from goatherd.engine.sampler import Look, Sampler, in_all
from goatherd.engine.schedule_looks import ScheduleLooks
from goatherd.engine.snapshots import Snapshots
from goatherd.engine.ticker import Ticker
from goatherd.model.label_limit import MOST_LABELS
from goatherd.model.readings import Readings
from goatherd.ports.lanes import LaneOperations
from goatherd.ports.schedules import ScheduleOperations
from goatherd.session import Session
from goatherd.wiring import observe_metrics, wants_opentelemetry_metrics

if TYPE_CHECKING:
    from goatherd.app import Goatherd

#: Queues of listeners that a broker is asked for one by one.
MOST_LISTENED = MOST_LABELS


def readings_of(app: Goatherd) -> Readings:
    """All that this process can tell now, without waiting for anybody."""
    sessions = app.sessions()
    return msgspec.structs.replace(
        app.meter.readings(),
        links=_links(sessions),
        listeners={pattern: count for each in app.hearing for pattern, count in each.counts().items()},
        drift={change: count for each in app.drift_watches[:1] for change, count in each.counts.items()},
        ticks=_ticks(sessions),
        commands={(each.inbox, step): count for each in app.intakes for step, count in each.counts.items()},
        troubles=_troubles(app, sessions),
        router=app.routers[0].readings() if app.routers else None,
        shared=in_all(app.samplers),
    )


class Exported:
    """The metrics of an app as OpenTelemetry gets them, if it is to have them."""

    def __init__(self, app: Goatherd) -> None:
        self._app = app
        self._snapshots: Snapshots | None = None

    def prepare(self) -> None:
        """Tell OpenTelemetry, if nobody has; raises MissingExtra."""
        if self._snapshots is None and wants_opentelemetry_metrics(self._app.settings):
            snapshots = Snapshots(partial(readings_of, self._app))
            observe_metrics(self._app.name, snapshots.now)
            self._snapshots = snapshots

    def begin(self, loop: AbstractEventLoop) -> None:
        """The app is open on this loop."""
        if self._snapshots is not None:
            self._snapshots.open(loop)

    def end(self, loop: AbstractEventLoop) -> None:
        """It is about to be closed there."""
        if self._snapshots is not None:
            self._snapshots.close(loop)


def _links(sessions: Sequence[Session]) -> Mapping[str, str]:
    return {"broker": sessions[0].ports.broker.state} if sessions else {}


def _ticker(sessions: Sequence[Session]) -> Ticker | None:
    return next((session.ticker for session in sessions if session.ticker is not None), None)


def _ticks(sessions: Sequence[Session]) -> Mapping[tuple[str, str], int]:
    ticker = _ticker(sessions)
    return {} if ticker is None else ticker.counts.readings()


def _troubles(app: Goatherd, sessions: Sequence[Session]) -> Mapping[tuple[str, str], int]:
    troubles = {("tally", each.tally): each.trouble for each in app.flushers}
    troubles |= {("inbox", each.inbox): each.trouble for each in app.intakes}
    troubles |= {("alerts", sink): why for each in app.alert_watches for sink, why in each.troubles.items()}
    if (ticker := _ticker(sessions)) is not None:
        troubles["schedules", app.name] = ticker.trouble
    return {which: int(trouble is not None) for which, trouble in troubles.items()}


def make_samplers(app: Goatherd, session: Session) -> list[Sampler]:
    """What looks at the stores for metrics, not started yet; none where that is not wanted."""
    every = app.settings.metrics_every
    return [Sampler(_looks(app, session), session.probes, every)] if every else []


def _looks(app: Goatherd, session: Session) -> Mapping[str, Look]:
    ports, recurring = session.ports, session.recurring

    async def lanes() -> LaneOperations:
        return (await session.lanes()).operations

    async def schedules() -> ScheduleOperations:
        return (await recurring.schedules()).operations

    async def listened() -> Sequence[str]:
        """Queues to which workers listen now, which a broker need not know of by itself."""
        if not app.listener_book.listened():
            return ()
        rows = await (await recurring.listeners()).find(limit=MOST_LISTENED)
        return sorted({row.queue for row in rows if not row.is_source})

    def named(queue: str) -> str:
        """The many queues of a listener have one name."""
        task = app.listener_book.queues().task_on(queue)
        return queue if task is None else patterns.get(task.name, queue)

    patterns = {each.task.name: each.pattern for each in app.listener_book.listened()}
    looks: dict[str, Look] = {
        "queues": QueueLooks(ports.operations, named, listened, ports.inflow).look,
        "dead letters": letter_look(ports.dead_letters),
        "schedules": ScheduleLooks(schedules, session.clock).look,
    }
    if keyed := [task.queue for task in app.definitions() if task.lane is not None]:
        looks["lanes"] = lane_look(lanes, keyed, named, session.clock)
    if app.tallies:
        looks["tallies"] = tally_look(recurring.tallies, app.tallies)
    return looks
