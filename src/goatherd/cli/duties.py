"""What one process does: its roles, its share of the jobs, and where it serves browsers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import click

from goatherd.cli.health import NO_OPTIONS, HealthOptions
from goatherd.cli.share import Share

Duty: TypeAlias = Literal["worker", "scheduler", "router", "gateway", "dashboard"]
DUTIES: tuple[Duty, ...] = get_args(Duty)


@dataclass(frozen=True, kw_only=True)
class Duties:
    """The roles of a process."""

    roles: tuple[Duty, ...] = ("worker",)
    share: Share
    host: str = "127.0.0.1"
    port: int = 8000
    #: Where the process tells how it is.
    health: HealthOptions = NO_OPTIONS
    #: Whether streams and the dashboard need no token, because only this machine can reach them.
    open_to_all: bool = False

    def as_arguments(self) -> list[str]:
        """The same for the command line of a child process."""
        return [
            "--roles", ",".join(self.roles), "--host", self.host, "--port", str(self.port), *self.share.as_arguments(),
        ]  # fmt: skip


def read_roles(ctx: click.Context, param: click.Parameter, value: str) -> tuple[Duty, ...]:
    """The roles in a list with commas; raises BadParameter."""
    names = [name.strip() for name in value.split(",") if name.strip()]
    unknown = [name for name in names if name not in DUTIES]
    if unknown or not names:
        told = f"{', '.join(unknown)} is no role" if unknown else "no role is named"
        raise click.BadParameter(f"{told}; there are {', '.join(DUTIES)}.", ctx, param)
    return tuple(duty for duty in DUTIES if duty in names)
