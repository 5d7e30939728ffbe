"""`goatherd dashboard`: see how an app does, and act, in a browser."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import click

from goatherd.cli.logs import set_up_logging
from goatherd.cli.output import Output, with_output, without_password
from goatherd.cli.target import load_app, target_argument

if TYPE_CHECKING:
    from socket import socket

    from goatherd.web.dashboard.app import Dashboard

log = logging.getLogger("goatherd.dashboard")


@click.command()
@target_argument
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; 0.0.0.0 is everywhere.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="0 takes a free one.")
@with_output
def dashboard(*, output: Output, target: str, host: str, port: int) -> int:
    """Show how an app does, and let operators act, until you press Ctrl-C or the process is told to stop.

    Pages for a browser: rates, queues, jobs, runs, lanes, dead letters, schedules, listeners, workers, and who did
    what. Everybody needs a token: with GOATHERD_DASHBOARD_TOKEN a person may see and do everything, with
    GOATHERD_DASHBOARD_READ_TOKEN only see it. A proxy at which people sign in can say who they are instead
    (GOATHERD_DASHBOARD_USER_HEADER). What is shown comes from the stores, so any number of dashboards show the same.

    For operators there are /livez and /readyz, which also says why it is not ready to those who have a token.

    \b
    Examples:
      GOATHERD_DASHBOARD_TOKEN=… goatherd dashboard shop:app
      goatherd dashboard shop:app --host 0.0.0.0 --port 9000
    """
    set_up_logging(as_json=output.json, verbose=output.verbose)
    app = load_app(target)
    from goatherd.cli import loops
    from goatherd.web.dashboard import dashboard as make_dashboard

    served = make_dashboard(app)
    from goatherd.web.dashboard.server import listen

    told = "Jobs of app %r in %s, history in %s"
    log.info(told, app.name, *map(without_password, (app.settings.broker_url, app.settings.record_store)))
    warn_of_closed_doors(served)
    with listen(host, port) as listening:
        loops.run(_serve_until_told(served, listening))
    return 0


def warn_of_closed_doors(served: Dashboard) -> None:
    """Say so if nobody could be let in."""
    if served.doors.trouble is not None:
        log.warning("%s", served.doors.trouble)


async def _serve_until_told(served: Dashboard, listening: socket) -> None:
    from goatherd.cli.orders import heeded_signals
    from goatherd.web.dashboard.server import DashboardServer
    from goatherd.web.listening import shown_address

    server = DashboardServer(served)

    def stop() -> None:
        log.info("Stopping")
        server.stop()

    for number in heeded_signals():
        asyncio.get_running_loop().add_signal_handler(number, stop)
    log.info("Dashboard at http://%s/", shown_address(listening))
    await server.serve([listening])
    log.info("Stopped")
