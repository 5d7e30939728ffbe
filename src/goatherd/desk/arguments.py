"""Arguments as operators have them: all by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from goatherd.listening import Listener
    from goatherd.model.job import Job
    from goatherd.task import Task


def job_by_name(task: Task[..., Any], named: Mapping[str, Any]) -> Job[Any]:
    """A job with these arguments, also for parameters that Python takes by position only; raises InvalidArguments."""
    by_position = _placed(task.definition.signature.positional_only, named)
    rest = {name: value for name, value in named.items() if name not in by_position}
    return task.job(*by_position.values(), **rest)


def check_on_queue(task: Listener[..., Any], queue: str, named: Mapping[str, Any]) -> None:
    """Raise InvalidArguments unless they are what a message on that queue of a task with many may have."""
    there = task.definition.for_queue(queue)
    if there is not None and there.signature.whole_body:
        task.job_on(queue, (named,), {})
        return
    by_position = {} if there is None else _placed(there.signature.positional_only, named)
    rest = {name: value for name, value in named.items() if name not in by_position}
    task.job_on(queue, tuple(by_position.values()), rest)


def _placed(names: Sequence[str], named: Mapping[str, Any]) -> dict[str, Any]:
    """Those that can be given by position: behind one that is missing, another would take its place."""
    return {name: named[name] for name in takewhile(named.__contains__, names)}
