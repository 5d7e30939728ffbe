"""`goatherd router`: write the history of tracked jobs, and tell watchers on another server."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import click

from goatherd.cli.health import HealthOptions, health_options, health_page
from goatherd.cli.logs import set_up_logging
from goatherd.cli.output import Output, with_output, without_password
from goatherd.cli.target import load_app, target_argument

if TYPE_CHECKING:
    from goatherd.app import Goatherd

log = logging.getLogger("goatherd.router")


@click.command()
@target_argument
@health_options
@with_output
def router(*, output: Output, target: str, health: HealthOptions) -> int:
    """Write the history of tracked jobs, until you press Ctrl-C or the process is told to stop.

    A job's events are gone an hour after its end (setting event_ttl); its history stays for days (history_days), in
    the file or the database of records_url. The router also tells the watchers of jobs that the broker has given up
    and, with live_url, lets the live server call all watchers. Run one, or several: they share the work, and one that
    dies is replaced by the others.

    With --health-port, /livez says whether the process is alive, /readyz whether it can do its work and if not why, and
    /metrics what it counted.

    \b
    Examples:
      goatherd router shop:app
      GOATHERD_LIVE_URL=redis://live:6379/0 goatherd router shop:app
    """
    set_up_logging(as_json=output.json, verbose=output.verbose, show_pid=False)
    app = load_app(target, starts=True)
    from goatherd.cli import loops

    loops.run(_route_until_told(app, health))
    return 0


async def _route_until_told(app: Goatherd, health: HealthOptions) -> None:
    from goatherd.cli.orders import heeded_signals
    from goatherd.roles import routing

    told_to_stop = asyncio.Event()
    for number in heeded_signals():
        asyncio.get_running_loop().add_signal_handler(number, told_to_stop.set)
    settings = app.settings
    async with health_page(app, ["router"], health.place(settings)) as phase, app, routing(app):
        phase.now = "running"
        log.info(
            "Events of app %r from %s, history in %s",
            app.name,
            without_password(settings.event_store),
            without_password(settings.record_store),
        )
        await told_to_stop.wait()
        phase.now = "stopping"
        log.info("Stopping")
    log.info("Stopped")
