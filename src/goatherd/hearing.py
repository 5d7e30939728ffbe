"""The listeners of a worker: what an app says about them, and the worker that does what comes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from goatherd.engine.listener_group import Surroundings
from goatherd.engine.listener_reports import ListenerReports
from goatherd.engine.listeners import Listeners
from goatherd.engine.name_source import Listened
from goatherd.engine.worker import Worker

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.task import TaskDefinition
    from goatherd.session import Session


def chosen_listeners(app: Goatherd, queues: Collection[str] | None) -> list[Listened]:
    """Those whose pattern is among the chosen queues; all, if nothing is chosen."""
    return [each for each in app.listener_book.listened() if queues is None or each.pattern in queues]


@asynccontextmanager
async def hearing(
    app: Goatherd, session: Session, worker: Worker, listened: Iterable[Listened]
) -> AsyncIterator[Listeners | None]:
    """Listen to what data wants until the block ends; what was taken by then stays with the worker."""
    groups = list(listened)
    if not groups:
        yield None
        return
    listeners = Listeners(groups, _surroundings(app, session, worker))
    async with AsyncExitStack() as life:
        reports = ListenerReports(listeners, session.recurring.listeners)
        app.hearing.append(listeners)
        life.callback(app.hearing.remove, listeners)
        life.push_async_callback(reports.stop)
        life.push_async_callback(listeners.stop)
        listeners.start()
        reports.start()
        yield listeners


def _surroundings(app: Goatherd, session: Session, worker: Worker) -> Surroundings:
    taken = worker.catalogue.queues

    def objection(task: TaskDefinition) -> str | None:
        if task.queue in taken:
            return "another task of this app is on this queue; a listener's queue belongs to one task alone"
        layout = app.listener_book.contract(task).format
        if layout != task.format.name:
            return f"the queue is described with format={layout!r}, but the listener has {task.format.name!r}"
        return None

    return Surroundings(
        broker=session.ports.broker,
        clock=session.clock,
        catalogue=worker.catalogue,
        deliver=worker.take_in,
        held=worker.held,
        contract=app.listener_book.contract,
        objection=objection,
    )
