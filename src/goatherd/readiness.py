"""How a process is: its own state, and each store that it uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from goatherd.engine.health import (
    BrokerLook,
    gather_health,
    with_alerts,
    with_inboxes,
    with_listeners,
    with_routers,
    with_scheduler,
)
from goatherd.engine.probes import Question
from goatherd.model.health import Health
from goatherd.session import Session

if TYPE_CHECKING:
    from goatherd.app import Goatherd


async def health_of(app: Goatherd) -> Health:
    """Ask every store that this process uses, all at once, and add what its roles know of themselves."""
    session = app.session()
    look = BrokerLook(
        broker=session.ports.broker,
        operations=session.ports.operations,
        reply_queue=session.calls.reply_queue,
        probes=session.probes,
    )
    health = await gather_health(look, questions(app, session), app.meter)
    health = with_scheduler(health, session.ticker, app.flushers)
    health = with_routers(with_alerts(health, app.alert_watches), app.routers)
    return with_inboxes(with_listeners(health, app.hearing), app.intakes)


def questions(app: Goatherd, session: Session) -> Iterator[Question]:
    """What to ask the stores besides the broker: of those that are in use, or that a role of this process will need.

    Each is about something that there is not, so that the answer is short.
    """
    # They are opened with every app that has keyed tasks, but a router has nothing to do with them.
    if session.opened_lanes is not None and session.roles != {"router"}:
        lanes = session.opened_lanes.operations
        yield Question(port="lanes", about="lanes", ask=lambda: lanes.get(""))
    if session.recurring.have_tallies:
        yield Question(port="lanes", about="tallies", ask=lambda: _ask_tallies(session))
    if session.opened_events is not None or ("worker" in session.roles and app.settings.events_url is not None):
        # A worker opens them for the first job that is tracked; it should not wait for that to know.
        yield Question(port="events", about="events", ask=lambda: _ask_events(session))
    if session.opened_records is not None:
        runs = session.opened_records.operations
        yield Question(port="records", about="runs", ask=lambda: runs.look(""))
    elif "worker" in session.roles and session.user_records.have_outbox:
        yield Question(port="records", about="outbox", ask=lambda: _ask_outbox(session))
    if session.recurring.have_schedules:
        yield Question(port="records", about="schedules", ask=lambda: _ask_schedules(session))
    for router in app.routers:
        yield from router.questions()


async def _ask_tallies(session: Session) -> object:
    return await (await session.recurring.tallies()).waiting("")


async def _ask_events(session: Session) -> object:
    return await (await session.events()).state("")


async def _ask_outbox(session: Session) -> object:
    return await (await session.user_records.outbox()).look()


async def _ask_schedules(session: Session) -> object:
    return await (await session.recurring.schedules()).operations.history("", 1)
