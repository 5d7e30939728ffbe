"""Which part of an app's work a process takes: the options that `worker` and `dev` share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click


@dataclass(frozen=True, kw_only=True)
class Share:
    """None means all queues, or the setting."""

    queues: tuple[str, ...] | None
    concurrency: int | None

    def as_arguments(self) -> list[str]:
        """The same for the command line of a child process."""
        queues = [] if self.queues is None else ["--queues", ",".join(self.queues)]
        concurrency = [] if self.concurrency is None else ["--concurrency", str(self.concurrency)]
        return queues + concurrency


def share_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `--queues` and `--concurrency`, as one argument `share`."""

    @click.option(
        "--queues",
        metavar="A,B",
        callback=_names,
        help="Take from these queues only; a pattern of listeners stands for theirs.  [default: all]",
    )
    @click.option(
        "--concurrency",
        type=click.IntRange(min=1),
        metavar="N",
        help="Jobs at once in a process.  [default: 16]",
    )
    @functools.wraps(function)
    def command(*, queues: tuple[str, ...] | None, concurrency: int | None, **given: Any) -> Any:
        return function(share=Share(queues=queues, concurrency=concurrency), **given)

    return command


def _names(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    if value is None:
        return None
    names = tuple(dict.fromkeys(name.strip() for name in value.split(",") if name.strip()))
    if not names:
        raise click.BadParameter("name at least one queue, or leave it out to take from all.", ctx, param)
    return names
