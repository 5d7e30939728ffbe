"""Which dead letters a command is about: filters, ids, or all."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from goatherd.cli.durations import Duration

if TYPE_CHECKING:
    from goatherd.model.dead_letter import LetterFilter


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What the filter options said; None matches all."""

    queue: str | None
    task: str | None
    error: str | None
    older_than: float | None
    limit: int | None

    @property
    def is_everything(self) -> bool:
        """Whether no option narrows it down."""
        return (self.queue, self.task, self.error, self.older_than, self.limit) == (None, None, None, None, None)

    def as_filter(self) -> LetterFilter:
        """For the store. Letters that come after this moment are not meant: the user has not seen them."""
        from goatherd.model.dead_letter import LetterFilter

        before = time.time() - (self.older_than or 0.0)
        return LetterFilter(queue=self.queue, task=self.task, error=self.error, failed_before=before)


def choice_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the filters, as one argument `choice`."""

    @click.option("--queue", help="Only from this queue.")
    @click.option("--task", help="Only of this task.")
    @click.option("--error", help="Only with this text in the error's type or message.")
    @click.option("--older-than", type=Duration(), help="Only those that died at least so long ago: 1h30m, 90s, 2d.")
    @click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most N, the oldest first.")
    @functools.wraps(function)
    def command(**given: Any) -> Any:
        names = ("queue", "task", "error", "older_than", "limit")
        return function(choice=Choice(**{name: given.pop(name) for name in names}), **given)

    return command
