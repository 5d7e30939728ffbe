"""Arguments as the command line has them: all by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from goatherd.listening import Listener
    from goatherd.model.job import Job
    from goatherd.task import Task


def job_by_name(task: Task[..., Any], named: Mapping[str, Any]) -> Job[Any]:
    """A job with these arguments, also for parameters that Python takes by position only; raises InvalidArguments."""
    by_position = [name for name in task.definition.signature.positional_only if name in named]
    rest = {name: value for name, value in named.items() if name not in by_position}
    return task.job(*(named[name] for name in by_position), **rest)


def check_on_queue(task: Listener[..., Any], queue: str, named: Mapping[str, Any]) -> None:
    """Raise InvalidArguments unless they are what a message on that queue of a task with many may have."""
    there = task.definition.for_queue(queue)
    taken = [] if there is None else there.signature.positional_only
    whole = there is not None and there.signature.whole_body
    by_position = (named,) if whole else tuple(named[name] for name in taken if name in named)
    rest = {} if whole else {name: value for name, value in named.items() if name not in taken}
    task.job_on(queue, by_position, rest)
