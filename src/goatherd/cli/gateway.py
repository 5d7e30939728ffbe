"""`goatherd gateway`: serve the events of jobs to browsers."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from goatherd.cli.logs import set_up_logging
from goatherd.cli.output import Output, with_output, without_password
from goatherd.cli.target import load_app
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from socket import socket

    from goatherd.web.gateway import Gateway

log = logging.getLogger("goatherd.gateway")


@click.command()
@click.argument("targets", metavar="MODULE:APP", nargs=-1, required=True)
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; 0.0.0.0 is everywhere.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes a free one.")
@click.option("--cors", metavar="ORIGIN", multiple=True, help="Pages of this origin may read streams; repeatable.")
@with_output
def gateway(*, output: Output, targets: Sequence[str], host: str, port: int, cors: Sequence[str]) -> int:
    """Serve the events of tracked jobs to browsers, until you press Ctrl-C or the process is told to stop.

    A page watches a job at /api/v1/APP/JOB/events with an EventSource, or with /api/v1/goatherd.js. It needs a token
    for that job, from run.stream_token(...), signed with the secret of the app (GOATHERD_SECRET), which the gateway
    must have, too. Run as many gateways as you like: a page may come back to any of them and goes on where it was.

    For operators there are /metrics, /livez and /readyz, which says why it is not ready. When it is told to stop, it
    sends its clients away over some seconds (setting gateway_drain, 20 s); a second Ctrl-C sends them away at once.

    \b
    Examples:
      GOATHERD_SECRET=… goatherd gateway shop:app
      goatherd gateway shop:app chat:app --host 0.0.0.0 --port 9000
      goatherd gateway shop:app --cors https://shop.example
    """
    set_up_logging(as_json=output.json, verbose=output.verbose)
    apps = [load_app(target) for target in targets]
    from goatherd.cli import loops
    from goatherd.web.gateway import Gateway
    from goatherd.web.server import listen, make_room

    served = Gateway(apps, cors=cors)
    served.access.check_secrets()
    for app in apps:
        log.info("Events of app %r from %s", app.name, without_password(app.settings.event_store))
    make_room(apps[0].settings.gateway_connections)
    with listen(host, port) as listening:
        loops.run(_serve_until_told(served, listening, apps[0].settings.gateway_drain))
    return 0


async def _serve_until_told(served: Gateway, listening: socket, drain: float) -> None:
    from goatherd.cli.orders import heeded_signals
    from goatherd.web.server import Server
    from goatherd.web.site import PREFIX

    server = Server(served, drain)
    # Thousands of connections live long, and every event makes thousands of short-lived things: a collector that
    # looked at the former each time the latter come by would take a good part of the time, and find nothing.
    gc.freeze()
    gc.set_threshold(50_000, 50, 100)

    def stop() -> None:
        clients = served.metrics.connections
        log.info("Stopping%s", f": {counted(clients, 'client')} sent away" if clients else "")
        server.stop()

    for number in heeded_signals():
        asyncio.get_running_loop().add_signal_handler(number, stop)
    host, port = listening.getsockname()[:2]
    log.info("Streams at http://%s:%d%s/{app}/{job}/events", f"[{host}]" if ":" in host else host, port, PREFIX)
    await server.serve([listening])
    log.info("Stopped")
