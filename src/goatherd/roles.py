"""What a process does for an app: work, or route events."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from goatherd.definition import check_listened
from goatherd.engine.admission import Rules
from goatherd.engine.announcements import announcing, noting_ends
from goatherd.engine.attempt import Attempts
from goatherd.engine.catalogue import Catalogue
from goatherd.engine.chores import Chore
from goatherd.engine.flows import NO_FLOWS, Flows
from goatherd.engine.foreign_steps import ForeignSteps
from goatherd.engine.hold_limits import check_hold_limits
from goatherd.engine.lane_entry import LaneEntry
from goatherd.engine.lane_source import LaneHabits, LaneSource
from goatherd.engine.lane_work import LaneWork
from goatherd.engine.load import Load
from goatherd.engine.means import Means
from goatherd.engine.processes import Home
from goatherd.engine.router import Router
from goatherd.engine.run_voice import RunVoice
from goatherd.engine.runner import Runner
from goatherd.engine.shared_answers import taking_answers
from goatherd.engine.step_hints import Hints
from goatherd.engine.step_source import StepHabits, StepSource
from goatherd.engine.step_work import StepWork
from goatherd.engine.watchdog import Watchdog
from goatherd.engine.worker import Worker
from goatherd.errors import DefinitionError
from goatherd.hearing import chosen_listeners, hearing
from goatherd.model.ids import new_id
from goatherd.model.settings import Settings
from goatherd.model.task import TaskDefinition
from goatherd.reporting import Part, reporting
from goatherd.scheduling import scheduling
from goatherd.session import Session
from goatherd.wiring import open_router

if TYPE_CHECKING:
    from goatherd.app import Goatherd

log = logging.getLogger("goatherd.worker")
log_router = logging.getLogger("goatherd.router")

Role: TypeAlias = Literal["worker", "scheduler", "router"]
ROLES: tuple[Role, ...] = get_args(Role)


@asynccontextmanager
async def serving(app: Goatherd, roles: Sequence[Role]) -> AsyncIterator[Goatherd]:
    """Open the app and run these roles until the block ends."""
    if not roles or not set(roles) <= set(ROLES):
        known = ", ".join(map(repr, ROLES))
        raise DefinitionError(f"serve() takes the roles that it should run, of {known}. It got {list(roles)}.")
    async with app, AsyncExitStack() as life:
        if "worker" in roles:
            await life.enter_async_context(working(app))
        if "scheduler" in roles:
            await life.enter_async_context(scheduling(app))
        if "router" in roles:
            await life.enter_async_context(routing(app))
        yield app


@asynccontextmanager
async def routing(app: Goatherd) -> AsyncIterator[Router]:
    """Route the events of an open app until the block ends."""
    session = app.session()
    await session.see_to("ends")
    if app.settings.record_store_is_local:
        log_router.warning(
            "The broker is on the network, but the history of jobs is written to the file of %s, which other machines "
            "do not see; set GOATHERD_RECORDS_URL=postgresql://…",
            app.settings.record_store,
        )
    router = await open_router(app.settings, session.clock)
    await router.start()
    app.routers.append(router)
    session.roles.add("router")
    try:
        async with reporting(app, Part(role="router")):
            yield router
    finally:
        session.roles.discard("router")
        app.routers.remove(router)
        await router.stop()


@asynccontextmanager
async def working(
    app: Goatherd, *, queues: Iterable[str] | None = None, concurrency: int | None = None
) -> AsyncIterator[Worker]:
    """Work for an open app until the block ends; `queues` chooses some of its queues, listeners by their pattern."""
    queues = None if queues is None else list(queues)
    async with AsyncExitStack() as life:
        for hook in app.lifespans:
            await life.enter_async_context(asynccontextmanager(hook)())
        session = app.session()
        await check_listened(app, session)
        runner = Runner(app, session.clock, app.arounds, session.means.tracer)
        life.push_async_callback(runner.close)
        worker = await make_worker(app, session, runner, queues=queues, concurrency=concurrency)
        listened = chosen_listeners(app, None if queues is None else set(queues))
        told = [*worker.queues, *(each.pattern for each in listened)]
        # It is seen until the last of its jobs has ended.
        await life.enter_async_context(reporting(app, Part(role="worker", worker=worker, queues=told)))
        watchdog = Watchdog()
        watchdog.start()
        life.callback(watchdog.stop)
        life.push_async_callback(worker.stop)
        await worker.start()
        session.roles.add("worker")
        life.callback(session.roles.discard, "worker")
        if session.user_records.have_outbox:
            session.relay.stay()
        log.info("Taking jobs from %s, up to %d at once", ", ".join(told), worker.concurrency)
        if queues is None:
            session.chores.add("answers")
        await life.enter_async_context(hearing(app, session, worker, listened))
        yield worker


@asynccontextmanager
async def doing(app: Goatherd, chore: Chore) -> AsyncIterator[None]:
    """Do one chore and nothing else, until the block ends."""
    session = app.session()
    if chore == "ends" and not await _ends_are_announced(app, session):
        yield
        return
    tasks = _answer_tasks(app, session) if chore == "answers" else [_announcing(app, session)]
    catalogue = Catalogue(tasks, {queue.name: queue for queue in app.announced_contracts()})
    runner = Runner(app, session.clock, ())
    worker = _worker_of(app, session, runner, catalogue, catalogue.queues)
    try:
        await worker.start()
        yield
    finally:
        session.chores.discard(chore)
        await worker.stop()
        await runner.close()


async def _ends_are_announced(app: Goatherd, session: Session) -> bool:
    """Have dead letters announced; false if that is not for this process to do."""
    if app.dead_letter_hooks or app.settings.declare != "create":
        # Hooks belong to workers, which then note the ends, too; and where operators make the queues, routers do.
        return False
    await session.ports.broker.declare(app.announced_contracts())
    return True


async def make_worker(
    app: Goatherd,
    session: Session,
    runner: Runner,
    *,
    queues: Iterable[str] | None = None,
    concurrency: int | None = None,
) -> Worker:
    """A worker on a session's broker, not started yet; raises DefinitionError."""
    catalogue = make_catalogue(app, session)
    chosen = _chosen(app, catalogue, queues)
    # On all of its queues, for a task that has no key any more may have jobs in lanes.
    in_lanes = chosen if catalogue.has_lanes else ()
    lanes = await lane_work(app.settings, session, in_lanes)
    steps = await step_work(app.settings, session, chosen, session.means)
    return _worker_of(app, session, runner, catalogue, chosen, concurrency, Flows(lanes=lanes, steps=steps))


async def lane_work(settings: Settings, session: Session, queues: Sequence[str]) -> LaneWork | None:
    """What a worker needs for keyed tasks on these queues; None if there are none."""
    if not queues:
        return None
    habits = LaneHabits(
        worker=_new_name(),
        queues=queues,
        lease=settings.lease,
        paused=session.ports.controls.paused,
        carry_letters=session.carry_letters,
    )
    source = LaneSource((await session.lanes()).lanes, session.clock, habits)
    return LaneWork(source=source, entry=LaneEntry(session.posting, session.clock))


async def step_work(settings: Settings, session: Session, queues: Collection[str], means: Means) -> StepWork | None:
    """What a worker needs for the steps of pipelines on these queues; None if there are none."""
    book = session.book
    if not book.concerns(queues):
        return None
    records = await session.records()
    conductor, story = records.conductor, session.story
    answers = book.answers if book.remote else ""
    if answers:
        await means.broker.declare(book.answer_queues)
    foreign = ForeignSteps(book, session.runs.adopt)

    async def try_again(run: str, step: str) -> object:
        return await session.runs.retry(run, [step])

    hints = Hints(means.broker, book, foreign, session.clock, try_again, settings.deploy_grace)
    habits = StepHabits(
        worker=_new_name(),
        queues=frozenset(queues),
        paused=session.ports.controls.paused,
        lease=settings.lease,
        largest_result=settings.payload_limit,
        moved=conductor.moved,
        begun=story.begun,
        voice=lambda run: RunVoice(run, story, session.clock),
    )
    source = StepSource(records.steps, book, hints, session.clock, habits)
    return StepWork(source=source, conductor=conductor, answers=answers)


def _new_name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}:{new_id()[-8:]}"


def _worker_of(  # noqa: PLR0913, PLR0917 - a worker stands between all of these
    app: Goatherd,
    session: Session,
    runner: Runner,
    catalogue: Catalogue,
    queues: Iterable[str],
    concurrency: int | None = None,
    flows: Flows = NO_FLOWS,
) -> Worker:
    settings = app.settings
    at_once = concurrency or settings.concurrency
    held = settings.held_by_worker if concurrency is None else settings.prefetch or 2 * concurrency
    rules = Rules(deploy_grace=settings.deploy_grace, payload_limit=settings.payload_limit)
    source = flows.with_broker(session.ports.broker)
    attempts = Attempts(session.means, catalogue, runner, rules, session.emitters(), source)
    prefetch = {queue: app.queue_named(queue).prefetch or held for queue in queues}
    if flows.steps is not None and flows.steps.answers:
        prefetch[flows.steps.answers] = held
    patterns = tuple(each.pattern for each in app.listener_book.listened())
    load = Load(
        prefetch=prefetch, patterns=patterns, held=held, concurrency=at_once, grace_period=settings.grace_period
    )
    return Worker(session.ports.broker, attempts, session.clock, load, rules.most_deaths, flows)


def make_catalogue(app: Goatherd, session: Session, definitions: Iterable[TaskDefinition] | None = None) -> Catalogue:
    """The tasks that a worker of this app does; `definitions` come instead of the app's own."""
    tasks = [task for task in definitions or app.definitions() if not task.remote]
    for task in tasks:
        if task.place == "process":
            Home.of(task)
    if app.dead_letter_hooks:
        tasks.append(_announcing(app, session))
    tasks += _answer_tasks(app, session)
    check_hold_limits(tasks, session.ports.operations)
    # Messages about steps are acked when they are claimed, so that no broker has to wait for the work. A scheduled task
    # is among the others, too.
    tasks += [step for step in session.book.tasks() if step.name not in session.ticks]
    return Catalogue(tasks, {queue.name: queue for queue in app.contracts()})


def _announcing(app: Goatherd, session: Session) -> TaskDefinition:
    note = noting_ends(session.events, session.clock, session.habits.prefix)
    return announcing(app.name, session.ports.dead_letters, app.format_of, note, app.dead_letter_hooks)


def _answer_tasks(app: Goatherd, session: Session) -> list[TaskDefinition]:
    rules = {queue.answers.queue: queue.answers for queue in app.contracts() if queue.answers is not None}
    return [taking_answers(rule, session.events, session.clock, session.telemetry) for rule in rules.values()]


def _chosen(app: Goatherd, catalogue: Catalogue, queues: Iterable[str] | None) -> list[str]:
    own = catalogue.queues
    has = own | {each.pattern for each in app.listener_book.listened()}
    if not has:
        raise DefinitionError(f"The app {app.name!r} has no task that a worker could do; add one with @app.task.")
    if queues is None:
        return sorted(own)
    wanted = list(queues)
    unknown = [queue for queue in wanted if queue not in has]
    if unknown:
        raise DefinitionError(
            f"No task of the app {app.name!r} is on queue {', '.join(unknown)}. Its queues: {', '.join(sorted(has))}."
        )
    return [queue for queue in wanted if queue in own]
