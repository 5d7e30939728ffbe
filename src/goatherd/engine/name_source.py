"""Who tells for which names there should be listeners: asked again and again, of itself, or once and for all."""

import inspect
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from goatherd.errors import DefinitionError
from goatherd.model.task import TaskDefinition

Ask: TypeAlias = Callable[[], Coroutine[Any, Any, Collection[str | int]]]
Tell: TypeAlias = Callable[[], AsyncIterator[Collection[str | int]]]


@dataclass(frozen=True, kw_only=True)
class NameSource:
    """One of the three is there."""

    ask: Ask | None = None
    tell: Tell | None = None
    fixed: tuple[str | int, ...] | None = None
    #: Seconds between two questions, or before one that has ended of itself is begun anew.
    every: float = 10.0


@dataclass(frozen=True, kw_only=True)
class Listened:
    """A task with many queues, and who tells their names."""

    task: TaskDefinition
    source: NameSource

    @property
    def pattern(self) -> str:
        """What its queues are named after."""
        return self.task.queue

    @property
    def fixed_queues(self) -> list[str]:
        """The queues that are known before anybody is asked, each once; raises DefinitionError."""
        return [each.queue for each in self.fixed_tasks]

    @property
    def fixed_tasks(self) -> list[TaskDefinition]:
        """The same, each with the task as it is done there."""
        tasks: dict[str, TaskDefinition] = {}
        for name in self.source.fixed or ():
            try:
                made = self.task.for_name(name)
            except ValueError as error:
                raise DefinitionError(
                    f"The names of task {self.task.name!r} cannot be listened to: {error}."
                ) from error
            tasks[made.queue] = made
        return list(tasks.values())


def read_source(pattern: str, source: object, every: float) -> NameSource:
    """What was given as the source; raises DefinitionError."""
    if every <= 0:
        raise DefinitionError(f"app.listeners({pattern!r}) has every={every!r}; it must be above 0.")
    code = source if inspect.isroutine(source) or isinstance(source, partial) else getattr(source, "__call__", source)  # noqa: B004 - an object's own function is what is looked at
    if callable(source):
        if inspect.isasyncgenfunction(code):
            return NameSource(tell=source, every=every)
        if inspect.iscoroutinefunction(code):
            return NameSource(ask=source, every=every)
        raise DefinitionError(
            f"The source of app.listeners({pattern!r}) is a plain function, which would stop everything while it asks "
            f"a database. Make it `async def`: it returns all names, or yields all of them at each change."
        )
    if isinstance(source, str | bytes | Mapping) or not isinstance(source, Collection):
        raise DefinitionError(
            f"The source of app.listeners({pattern!r}) is {source!r}; give an async function that returns all names, "
            f"an async generator function that yields all of them at each change, or a list of names."
        )
    return NameSource(fixed=tuple(source), every=every)
