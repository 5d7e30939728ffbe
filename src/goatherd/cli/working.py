"""Do the duties of this process until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack

from goatherd.app import Goatherd
from goatherd.cli import loops
from goatherd.cli.duties import Duties
from goatherd.cli.health import health_page
from goatherd.cli.orders import Orders
from goatherd.cli.output import without_password
from goatherd.cli.parent import ParentLine
from goatherd.cli.telling import TellingMeter
from goatherd.cli.web_serving import SERVED, serving_browsers
from goatherd.roles import routing, working
from goatherd.scheduling import scheduling

log = logging.getLogger("goatherd.worker")


def work_until_told(app: Goatherd, duties: Duties, parent: ParentLine | None = None, *, tell_jobs: bool) -> None:
    """Work until a signal or the parent says stop, then end in good order; `tell_jobs` logs each job that is done."""
    if tell_jobs:
        app.meter = TellingMeter()
    loops.run(_work(app, duties, parent))


async def _work(app: Goatherd, duties: Duties, parent: ParentLine | None) -> None:
    grace_period = app.settings.grace_period
    orders = Orders(grace_period)
    if parent is None:
        orders.obey_signals()
    else:
        orders.obey_parent()
        parent.listen(lambda: orders.hurry("asked to"), lambda: orders.stop("the parent is gone"), grace_period)
    try:
        await _serve(app, duties, parent, orders)
    except asyncio.CancelledError:
        # Told to stop while the app was still starting: everything that was open has been closed on the way here.
        if not orders.given:
            raise
    log.info("Stopped")


async def _serve(app: Goatherd, duties: Duties, parent: ParentLine | None, orders: Orders) -> None:
    _introduce(app, duties)
    # A child serves only where its parent says: all of them have the same settings.
    place = duties.health.place(app.settings) if parent is None or duties.health.port is not None else None
    async with health_page(app, duties.roles, place) as phase, app, AsyncExitStack() as life:
        if "scheduler" in duties.roles:
            await life.enter_async_context(scheduling(app))
        if "router" in duties.roles:
            await life.enter_async_context(routing(app))
        if SERVED & set(duties.roles):
            await life.enter_async_context(serving_browsers(app, duties, orders))
        if "worker" in duties.roles:
            share = duties.share
            taking = working(app, queues=share.queues, concurrency=share.concurrency)
            orders.worker = await life.enter_async_context(taking)
        orders.begun = True
        phase.now = "running"
        if parent is not None:
            parent.say_ready(app.settings.grace_period)
        await orders.to_stop()
        phase.now = "stopping"


def _introduce(app: Goatherd, duties: Duties) -> None:
    does = f"tasks: {', '.join(sorted(app.tasks)) or 'none'}"
    if app.pipelines:
        does += f"; pipelines: {', '.join(sorted(app.pipelines))}"
    if app.ticks and "scheduler" not in duties.roles:
        does += "; schedules are left to `goatherd scheduler`"
    log.info("App %r with its jobs in %s; %s", app.name, without_password(app.settings.broker_url), does)
