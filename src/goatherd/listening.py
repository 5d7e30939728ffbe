"""One task for many queues, whose names are wanted by data."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeAlias, TypeVar, get_args, overload

from goatherd.engine.context import BlockingContext, Context
from goatherd.engine.enqueue import prepare
from goatherd.engine.name_source import Listened, NameSource, read_source
from goatherd.errors import DefinitionError, InvalidArguments
from goatherd.model.annotations import caller_scope
from goatherd.model.family import Family, NamePattern, check_pattern
from goatherd.model.formats import FORMATS, FormatName
from goatherd.model.job import Job
from goatherd.model.task import TaskDefinition
from goatherd.task import AsyncTask, PlainTask, Task, make_task

if TYPE_CHECKING:
    from goatherd.app import Goatherd

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Name = TypeVar("_Name", bound=str | int)
_Async: TypeAlias = Coroutine[Any, Any, _R]

#: How messages on the queues of listeners may look.
LAYOUTS: tuple[FormatName, ...] = ("native", "plain")
#: Names whose task is kept ready by a process that sends.
KEPT = 20_000


@dataclass(frozen=True, kw_only=True)
class Listening:
    """What `app.listeners(...)` said; raises DefinitionError."""

    pattern: str
    #: An async function, an async generator function, or a collection of names.
    source: Any
    #: Seconds between two questions to a source that is asked.
    every: float
    format: FormatName

    def __post_init__(self) -> None:
        check_pattern(self.pattern)
        if self.format not in LAYOUTS:
            raise DefinitionError(
                f"app.listeners({self.pattern!r}) has format={self.format!r}; it is {' or '.join(map(repr, LAYOUTS))}."
            )
        _ = self.names

    @cached_property
    def names(self) -> NameSource:
        """The source, by its kind."""
        return read_source(self.pattern, self.source, self.every)


class Listener(Task[_P, _R]):
    """A task whose first argument says on which queue its jobs are."""

    _listening: Listening
    _by_name: dict[Any, TaskDefinition]

    @property
    def listened(self) -> Listened:
        """The task with all its queues, for workers; raises DefinitionError or SettingsError."""
        return Listened(task=self.definition, source=self._listening.names)

    def job(self, /, *args: _P.args, **kwargs: _P.kwargs) -> Job[_R]:
        """Check the name and the arguments and make a job for the queue of that name."""
        whole = self.definition
        named: dict[str, Any] = dict(kwargs)
        name, rest = (args[0], args[1:]) if args else (named.pop(whole.signature.names[0], None), ())
        if name is None or (not args and whole.signature.names[0] in whole.signature.positional_only):
            # Tells all that is wrong.
            whole.signature.bind(args, kwargs)
        there = self._on_queue_of(whole, name)
        return prepare(there, rest, named, self._options, self._app.settings.payload_limit, self._app.name)

    def job_on(self, queue: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Job[_R]:
        """The same for a queue that is known, with the arguments that its messages have."""
        there = self.definition.for_queue(queue)
        if there is None:
            raise InvalidArguments(self.name, {"queue": f"{queue!r} does not fit {self._listening.pattern!r}"})
        return prepare(there, args, kwargs, self._options, self._app.settings.payload_limit, self._app.name)

    def _on_queue_of(self, whole: TaskDefinition, name: Any) -> TaskDefinition:
        try:
            known = self._by_name.get(name)
        except TypeError:
            known = None  # something that cannot even be looked up is no name, and told so below
        # True is 1 for a dictionary, and no name of a queue.
        if known is not None and known.family is whole.family and type(name) is not bool:
            return known
        try:
            made = whole.for_name(name)
        except ValueError as error:
            raise InvalidArguments(self.name, {whole.signature.names[0]: str(error)}) from error
        if len(self._by_name) >= KEPT:
            self._by_name.clear()
        self._by_name[name] = made
        return made

    def _define(self) -> TaskDefinition:
        said, layout = super()._define(), FORMATS[self._listening.format]
        signature = said.signature.first(len(said.signature.names))
        pattern = NamePattern(text=self._listening.pattern, kind=_kind_of_name(said.name, signature.types))
        rest = signature.without_first()
        if layout.name == "plain" and len(rest.names) == 1 and rest.positional_only:
            rest = rest.taking_whole_body()
        family = Family(pattern=pattern, rest=rest)
        return replace(said, queue=pattern.text, format=layout, signature=signature, answers=None, family=family)


class AsyncListener(Listener[_P, _R], AsyncTask[_P, _R]):
    """One that is an `async def`."""


class PlainListener(Listener[_P, _R], PlainTask[_P, _R]):
    """One that is a plain `def`."""


def _kind_of_name(task: str, types: Mapping[str, Any]) -> type[str] | type[int]:
    first = next(iter(types), None)
    if first is None:
        raise DefinitionError(f"Task {task!r} takes no argument, but that of listeners is given the name first.")
    kind = types[first]
    while (inner := getattr(kind, "__supertype__", None)) is not None or getattr(kind, "__metadata__", None):
        kind = inner if inner is not None else get_args(kind)[0]
    if kind is str or kind is int:
        return kind
    raise DefinitionError(
        f"Task {task!r} has {first}: {getattr(kind, '__name__', kind)} as its first argument, which is the name of its "
        f"queue; annotate it as str or int."
    )


class RegisterListener(Generic[_Name]):
    """The decorator that `app.listeners(...)` gives."""

    def __init__(self, app: Goatherd, listening: Listening, options: Mapping[str, Any]) -> None:
        self._app = app
        self._listening = listening
        self._options = options

    @overload
    def __call__(
        self, function: Callable[Concatenate[Context, _Name, _P], _Async[_R]], /
    ) -> AsyncTask[Concatenate[_Name, _P], _R]: ...
    @overload
    def __call__(  # type: ignore[overload-overlap]  # async is tried before plain
        self, function: Callable[Concatenate[_Name, _P], _Async[_R]], /
    ) -> AsyncTask[Concatenate[_Name, _P], _R]: ...
    @overload
    def __call__(
        self, function: Callable[Concatenate[BlockingContext, _Name, _P], _R], /
    ) -> PlainTask[Concatenate[_Name, _P], _R]: ...
    @overload
    def __call__(self, function: Callable[Concatenate[_Name, _P], _R], /) -> PlainTask[Concatenate[_Name, _P], _R]: ...
    def __call__(self, function: Callable[..., Any], /) -> Any:
        """Make the function the task of all these queues."""
        task = make_task(self._app, function, self._options, caller_scope(), (AsyncListener, PlainListener))
        assert isinstance(task, Listener), "it is of one of these kinds"
        task._listening, task._by_name = self._listening, {}
        self._app.add(task)
        return task
