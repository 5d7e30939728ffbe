"""All that an app wants its broker to have: the one definition that code, files and live brokers are compared with."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from goatherd.engine.announcements import announcement_queue
from goatherd.engine.name_source import Listened
from goatherd.engine.names_now import tasks_now
from goatherd.engine.step_book import StepBook, answers_of
from goatherd.engine.topology.establish import check_topology
from goatherd.errors import Unavailable
from goatherd.model.definition import Definition
from goatherd.model.family import GAP
from goatherd.model.topology import Queue
from goatherd.wiring import app_definition

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.session import Session

log = logging.getLogger("goatherd.topology")


def definition_of(app: Goatherd, listened: Iterable[Queue] = ()) -> Definition:
    """What an app's tasks, pipelines, schedules, calls and listeners need, and what `app.topology` says besides.

    `listened` are queues that only the sources of its listeners know of. Raises DefinitionError where two of these
    contradict each other, or where the broker has no topology; SettingsError or MissingExtra.
    """
    queues = [*app.contracts(), *_step_answers(app), *listened]
    return app_definition(app.settings, queues, app.topology, _passing(app))


async def listened_queues(app: Goatherd) -> list[Queue]:
    """The queues that sources of listeners want now, where they belong to the definition; raises Unavailable.

    Where queues are made when they are needed, those come and go, and no source is asked.
    """
    if app.settings.declare == "create":
        return []
    tasks = [task for each in asked_listeners(app) for task in await tasks_now(each)]
    return [app.listener_book.contract(task) for task in tasks]


async def whole_definition(app: Goatherd) -> Definition:
    """The definition with the queues of listeners, for a program that does no work; raises also Unavailable."""
    async with AsyncExitStack() as life:
        if asked_listeners(app) and app.settings.declare != "create":
            # A source may need what the app prepares for its work, such as a pool of connections.
            for hook in app.lifespans:
                await life.enter_async_context(asynccontextmanager(hook)())
        return definition_of(app, await listened_queues(app))


async def current_definition(app: Goatherd) -> Definition:
    """The definition with the queues of those listeners whose source tells them here."""
    try:
        return definition_of(app, await listened_queues(app))
    except Unavailable as error:
        # A source may need what only workers prepare.
        log.debug("The queues of listeners are not looked at: %s", error)
        return definition_of(app)


async def check_listened(app: Goatherd, session: Session) -> None:
    """Where nothing is made, refuse to listen to queues that are not as wanted; raises TopologyMismatch.

    One that is only missing belongs to a name that is newer than what operators made. Its listener tells of it, and
    must not keep all others from their work.
    """
    plumbing = session.ports.plumbing
    if app.settings.declare != "check" or plumbing is None or not asked_listeners(app):
        return
    try:
        listened = await listened_queues(app)
    except Unavailable as error:
        log.warning("Not checked before listeners begin: %s", error)
        return
    await check_topology(plumbing, definition_of(app, listened), {queue.name for queue in listened})


def asked_listeners(app: Goatherd) -> list[Listened]:
    """Listeners whose queues nobody knows before their source is asked."""
    return [each for each in app.listener_book.listened() if each.source.fixed is None]


def _step_answers(app: Goatherd) -> list[Queue]:
    pipelines = [*app.pipeline_definitions(), *app.tick_pipelines()]
    return StepBook(pipelines, (), answers_of(app.name)).answer_queues


def _passing(app: Goatherd) -> Iterator[str]:
    """Patterns of the names of queues that come and go."""
    for each in asked_listeners(app):
        before, _, after = each.pattern.partition(GAP)
        yield f"{re.escape(before)}.+{re.escape(after)}"
    if app.settings.declare == "create" and not app.dead_letter_hooks:
        # The first process that tracks a job makes it.
        yield re.escape(announcement_queue(app.name).name)
