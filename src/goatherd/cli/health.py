"""Where a process tells how it is: the options that the roles share."""

from __future__ import annotations

import functools
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.engine.pulse import Pulse
    from goatherd.model.settings import Settings
    from goatherd.web.family_page import Family
    from goatherd.web.health_page import Phase
    from goatherd.web.health_server import Answerer

#: Of all ports.
HIGHEST = 65535

log = logging.getLogger("goatherd.health")


@dataclass(frozen=True, kw_only=True)
class HealthOptions:
    """None means the setting."""

    port: int | None = None
    host: str | None = None

    def place(self, settings: Settings) -> tuple[str, int] | None:
        """Where to serve; None if nowhere."""
        port = settings.health_port if self.port is None else self.port
        return None if port is None else (self.host or settings.health_host, port)

    def family(self, children: int) -> Family | None:
        """Where the parent of several processes serves; raises SettingsError or UsageError."""
        from goatherd.config import Sources, read_health_place

        port, host = read_health_place(Sources.here({}))
        port = port if self.port is None else self.port
        if port is None:
            return None
        if not 0 < port <= HIGHEST - children:
            raise click.UsageError(
                f"With --processes each has a port of its own, those after the health port {port}: choose one from 1 "
                f"to {HIGHEST - children}."
            )
        from goatherd.web.family_page import Family

        return Family(host=self.host or host, port=port, children=children)


#: Where nothing was said.
NO_OPTIONS = HealthOptions()


def health_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `--health-port` and `--health-host`, as one argument `health`."""

    @click.option(
        "--health-port",
        type=click.IntRange(0, HIGHEST),
        metavar="PORT",
        help="Serve /livez, /readyz and /metrics there; 0 takes a free one.  [default: not served]",
    )
    @click.option("--health-host", metavar="HOST", help="Where to serve them.  [default: 127.0.0.1]")
    @functools.wraps(function)
    def command(*, health_port: int | None, health_host: str | None, **given: Any) -> Any:
        return function(health=HealthOptions(port=health_port, host=health_host), **given)  # fmt: skip

    return command


@asynccontextmanager
async def health_page(app: Goatherd, roles: Sequence[str], place: tuple[str, int] | None) -> AsyncIterator[Phase]:
    """Tell how this process is until the block ends; who runs the roles says when they run."""
    from goatherd.web.health_page import HealthPage, Phase

    phase = Phase()
    if place is None:
        yield phase
        return
    with _pulse() as pulse, _served(place, HealthPage(app, roles, phase, pulse).answer):
        yield phase


@contextmanager
def family_page(family: Family | None) -> Iterator[None]:
    """Tell how the children of this process are until the block ends."""
    if family is None:
        yield
        return
    from goatherd.web.family_page import FamilyPage

    with _pulse() as pulse, _served((family.host, family.port), FamilyPage(family, pulse).answer):
        yield


@contextmanager
def _pulse() -> Iterator[Pulse]:
    from goatherd.engine.pulse import Pulse

    pulse = Pulse()
    pulse.start()
    try:
        yield pulse
    finally:
        pulse.stop()


@contextmanager
def _served(place: tuple[str, int], answer: Answerer) -> Iterator[None]:
    from goatherd.web.health_server import HealthServer, listen
    from goatherd.web.listening import shown_address

    listening = listen(*place)
    log.info("Health at http://%s/readyz", shown_address(listening))
    server = HealthServer(listening, answer)
    server.start()
    try:
        yield
    finally:
        server.stop()
