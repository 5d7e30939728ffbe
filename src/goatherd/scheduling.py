"""What a process does as a scheduler: fire what is due, flush tallies, take commands in, look at the broker."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from goatherd.alerting import make_alert_watches
from goatherd.definition import current_definition
from goatherd.engine.firing import Firings
from goatherd.engine.flushes import Flusher
from goatherd.engine.intake import Intake, Intent
from goatherd.engine.sent_together import SentTogether
from goatherd.engine.ticker import Ticker
from goatherd.engine.topology.drift_watch import DriftWatch
from goatherd.measuring import make_samplers
from goatherd.model.schedule import Firing
from goatherd.model.task import TaskDefinition
from goatherd.ports.inbox import CommandSource
from goatherd.reporting import Part, reporting
from goatherd.session import Session
from goatherd.wiring import open_command_source

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.inbox import Inbox

log = logging.getLogger("goatherd.scheduler")


@asynccontextmanager
async def scheduling(app: Goatherd) -> AsyncIterator[None]:
    """Do what begins by itself for an open app, until the block ends."""
    session = app.session()
    async with AsyncExitStack() as life:
        session.ticker = ticker = await make_ticker(app, session)
        life.callback(setattr, session, "ticker", None)
        life.push_async_callback(ticker.stop)
        await ticker.start()
        session.roles.add("scheduler")
        life.callback(session.roles.discard, "scheduler")
        await life.enter_async_context(reporting(app, Part(role="scheduler")))
        for flusher in make_flushers(app, session):
            life.push_async_callback(flusher.stop)
            flusher.start()
            app.flushers.append(flusher)
            life.callback(app.flushers.remove, flusher)
        for intake in await make_intakes(app, session):
            life.push_async_callback(intake.stop)
            intake.start()
            app.intakes.append(intake)
            life.callback(app.intakes.remove, intake)
        for watch in make_drift_watches(app, session):
            life.push_async_callback(watch.stop)
            watch.start()
            app.drift_watches.append(watch)
            life.callback(app.drift_watches.remove, watch)
        for sampler in make_samplers(app, session):
            life.push_async_callback(sampler.stop)
            sampler.start()
            app.samplers.append(sampler)
            life.callback(app.samplers.remove, sampler)
        for alerts in make_alert_watches(app, session):
            life.push_async_callback(alerts.stop)
            alerts.start()
            app.alert_watches.append(alerts)
            life.callback(app.alert_watches.remove, alerts)
        told = ", ".join(sorted(app.ticks)) or "none of the program's own"
        log.info("Schedules: %s", told)
        yield


async def make_ticker(app: Goatherd, session: Session) -> Ticker:
    """What fires for an app, not started yet; raises DefinitionError, SettingsError or Unavailable."""
    schedules = (await session.recurring.schedules()).schedules
    kept_for = app.settings.history_days * 86_400.0
    return Ticker(schedules, app.declared_schedules(), _firings(app, session), kept_for)


async def fire_now(app: Goatherd, firing: Firing) -> None:
    """Begin what is due without waiting for a scheduler; one that this program does not know is left to others."""
    session = app.session()
    try:
        ended = await _firings(app, session)(firing)
    except LookupError as error:
        log.warning("%s is left to a scheduler: %s", firing.schedule, error)
        return
    await (await session.recurring.schedules()).schedules.begun([firing.id], ended=ended)


def _firings(app: Goatherd, session: Session) -> Firings:
    def find(task: str, queue: str) -> TaskDefinition | None:
        known = app.tasks.get(task)
        return None if known is None else known.definition.for_queue(queue) or known.definition

    send = SentTogether(session.send, session.send_many).send
    return Firings(
        session.runs, {name: tick.pipeline for name, tick in app.ticks.items()}, find, send, session.means.tracer
    )


def make_drift_watches(app: Goatherd, session: Session) -> list[DriftWatch]:
    """One where there is a broker that others can change, too, not started yet."""
    plumbing, every = session.ports.plumbing, app.settings.drift_every
    if plumbing is None or not every:
        return []
    makes = app.settings.declare == "create"
    return [DriftWatch(plumbing, partial(current_definition, app), every, makes=makes)]


def make_flushers(app: Goatherd, session: Session) -> list[Flusher]:
    """One for each tally that has a task for its totals, not started yet; raises DefinitionError."""
    flushers = []
    for name, tally in app.tallies.items():
        flush = tally.flush_of()
        if flush is None:
            log.warning("Nobody flushes the tally %r: no task of this program is declared with @%s.flush", name, name)
        else:
            flushers.append(Flusher(flush, session.recurring.tallies, session.sender, session.means))
    return flushers


async def make_intakes(app: Goatherd, session: Session) -> list[Intake]:
    """One for each inbox, not started yet; raises DefinitionError, SettingsError, MissingExtra or Unavailable."""
    intakes = []
    for inbox in app.inboxes:
        inbox.check()  # before anything is opened
        source = await open_command_source(inbox.source, app.settings)
        intakes.append(await make_intake(app, session, inbox, source))
    return intakes


async def make_intake(app: Goatherd, session: Session, inbox: Inbox, source: CommandSource) -> Intake:
    """What takes the commands of one inbox in, from wherever; raises DefinitionError, SettingsError or Unavailable."""
    inbox.check()
    intent = Intent(
        inbox=inbox.name,
        job_of=inbox.job_of,
        send_many=session.send_many,
        hold=app.settings.lease,
        kept_for=app.settings.history_days * 86_400.0,
    )
    return Intake(source, await session.recurring.inbox(), intent)
