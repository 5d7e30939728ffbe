"""What a process does for an app: for now, work."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Literal, TypeAlias

from goatherd.engine.admission import Rules
from goatherd.engine.announcements import announcing
from goatherd.engine.attempt import Attempts
from goatherd.engine.catalogue import Catalogue
from goatherd.engine.hold_limits import check_hold_limits
from goatherd.engine.processes import Home
from goatherd.engine.runner import Runner
from goatherd.engine.shared_answers import taking_answers
from goatherd.engine.watchdog import Watchdog
from goatherd.engine.worker import Load, Worker
from goatherd.errors import DefinitionError
from goatherd.model.task import TaskDefinition
from goatherd.session import Session

if TYPE_CHECKING:
    from goatherd.app import Goatherd

Role: TypeAlias = Literal["worker"]


@asynccontextmanager
async def serving(app: Goatherd, roles: Sequence[Role]) -> AsyncIterator[Goatherd]:
    """Open the app and run these roles until the block ends."""
    if set(roles) != {"worker"}:
        raise DefinitionError(f"serve() takes the roles that it should run: 'worker'. It got {list(roles)}.")
    async with app, working(app):
        yield app


@asynccontextmanager
async def working(
    app: Goatherd, *, queues: Iterable[str] | None = None, concurrency: int | None = None
) -> AsyncIterator[Worker]:
    """Work for an open app until the block ends; `queues` chooses some of its queues."""
    async with AsyncExitStack() as life:
        for hook in app.lifespans:
            await life.enter_async_context(asynccontextmanager(hook)())
        session = app.session()
        runner = Runner(app, session.clock, app.arounds)
        life.push_async_callback(runner.close)
        worker = make_worker(app, session, runner, queues=queues, concurrency=concurrency)
        watchdog = Watchdog()
        watchdog.start()
        life.callback(watchdog.stop)
        life.push_async_callback(worker.stop)
        await worker.start()
        if queues is None:
            session.takes_answers = True
        yield worker


@asynccontextmanager
async def answering(app: Goatherd) -> AsyncIterator[Worker]:
    """Take answers from the queues that services share, and do nothing else, until the block ends."""
    session = app.session()
    catalogue = Catalogue(_answer_tasks(app, session), {queue.name: queue for queue in app.contracts()})
    runner = Runner(app, session.clock, ())
    worker = _worker_of(app, session, runner, catalogue, catalogue.queues)
    await worker.start()
    session.takes_answers = True
    try:
        yield worker
    finally:
        session.takes_answers = False
        await worker.stop()
        await runner.close()


def make_worker(
    app: Goatherd,
    session: Session,
    runner: Runner,
    *,
    queues: Iterable[str] | None = None,
    concurrency: int | None = None,
) -> Worker:
    """A worker on a session's broker, not started yet; raises DefinitionError."""
    catalogue = make_catalogue(app, session)
    return _worker_of(app, session, runner, catalogue, _chosen(app, catalogue, queues), concurrency)


def _worker_of(
    app: Goatherd,
    session: Session,
    runner: Runner,
    catalogue: Catalogue,
    queues: Iterable[str],
    concurrency: int | None = None,
) -> Worker:
    settings = app.settings
    at_once = concurrency or settings.concurrency
    held = settings.held_by_worker if concurrency is None else settings.prefetch or 2 * concurrency
    rules = Rules(deploy_grace=settings.deploy_grace)
    attempts = Attempts(session.means, catalogue, runner, rules)
    prefetch = {queue: app.queue_named(queue).prefetch or held for queue in queues}
    load = Load(prefetch=prefetch, concurrency=at_once, grace_period=settings.grace_period)
    return Worker(session.ports.broker, attempts, session.clock, load, rules.most_deaths)


def make_catalogue(app: Goatherd, session: Session, definitions: Iterable[TaskDefinition] | None = None) -> Catalogue:
    """The tasks that a worker of this app does; `definitions` come instead of the app's own."""
    tasks = [task for task in definitions or app.definitions() if not task.remote]
    for task in tasks:
        if task.place == "process":
            Home.of(task)
    if app.dead_letter_hooks:
        tasks.append(announcing(app.name, session.ports.dead_letters, app.format_of, app.dead_letter_hooks))
    tasks += _answer_tasks(app, session)
    check_hold_limits(tasks, session.ports.operations)
    return Catalogue(tasks, {queue.name: queue for queue in app.contracts()})


def _answer_tasks(app: Goatherd, session: Session) -> list[TaskDefinition]:
    rules = {queue.answers.queue: queue.answers for queue in app.contracts() if queue.answers is not None}
    return [taking_answers(rule, session.events, session.clock, session.telemetry) for rule in rules.values()]


def _chosen(app: Goatherd, catalogue: Catalogue, queues: Iterable[str] | None) -> list[str]:
    has = catalogue.queues
    if not has:
        raise DefinitionError(f"The app {app.name!r} has no task that a worker could do; add one with @app.task.")
    if queues is None:
        return sorted(has)
    wanted = list(queues)
    unknown = [queue for queue in wanted if queue not in has]
    if unknown:
        raise DefinitionError(
            f"No task of the app {app.name!r} is on queue {', '.join(unknown)}. Its queues: {', '.join(sorted(has))}."
        )
    return wanted
