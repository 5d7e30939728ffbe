"""Run a worker in this process until it is told to stop."""

from __future__ import annotations

import asyncio
import logging

from goatherd.app import Goatherd
from goatherd.cli import loops
from goatherd.cli.orders import Orders
from goatherd.cli.output import without_password
from goatherd.cli.parent import ParentLine
from goatherd.cli.share import Share
from goatherd.cli.telling import TellingMeter
from goatherd.roles import working

log = logging.getLogger("goatherd.worker")


def work_until_told(app: Goatherd, share: Share, parent: ParentLine | None = None, *, tell_jobs: bool) -> None:
    """Work until a signal or the parent says stop, then end in good order; `tell_jobs` logs each job that is done."""
    if tell_jobs:
        app.meter = TellingMeter()
    loops.run(_work(app, share, parent))


async def _work(app: Goatherd, share: Share, parent: ParentLine | None) -> None:
    grace_period = app.settings.grace_period
    orders = Orders(grace_period)
    if parent is None:
        orders.obey_signals()
    else:
        orders.obey_parent()
        parent.listen(lambda: orders.hurry("asked to"), lambda: orders.stop("the parent is gone"), grace_period)
    try:
        await _serve(app, share, parent, orders)
    except asyncio.CancelledError:
        # Told to stop while the app was still starting: everything that was open has been closed on the way here.
        if not orders.given:
            raise
    log.info("Stopped")


async def _serve(app: Goatherd, share: Share, parent: ParentLine | None, orders: Orders) -> None:
    tasks = ", ".join(sorted(app.tasks)) or "none"
    log.info("App %r with its jobs in %s; tasks: %s", app.name, without_password(app.settings.broker_url), tasks)
    async with app, working(app, queues=share.queues, concurrency=share.concurrency) as worker:
        orders.worker = worker
        if parent is not None:
            parent.say_ready(app.settings.grace_period)
        await orders.to_stop()
