"""One task for many queues, whose names are wanted by data."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeAlias, TypeVar, overload

from goatherd.engine.context import BlockingContext, Context
from goatherd.task import AsyncTask, PlainTask

if TYPE_CHECKING:
    from goatherd.app import Goatherd

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Name = TypeVar("_Name", bound=str | int)
_Async: TypeAlias = Coroutine[Any, Any, _R]

#: Who tells the names that are wanted: asked again and again, telling of itself, or once and for all.
Source: TypeAlias = (
    Callable[[], Coroutine[Any, Any, Collection[_Name]]] | Callable[[], AsyncIterator[Collection[_Name]]] | Collection[_Name]
)


@dataclass(frozen=True, kw_only=True)
class Listening:
    """What `app.listeners(...)` said."""

    pattern: str
    source: Any
    #: Seconds between two questions to a source that is asked.
    every: float
    format: str


class RegisterListener(Generic[_Name]):
    """The decorator that `app.listeners(...)` gives."""

    def __init__(self, app: Goatherd, listening: Listening, options: Mapping[str, Any]) -> None:
        self._app = app
        self._listening = listening
        self._options = options

    @overload
    def __call__(  # type: ignore[overload-overlap]  # a Context first is left out of what callers see
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
    def __call__(
        self, function: Callable[Concatenate[_Name, _P], _R], /
    ) -> PlainTask[Concatenate[_Name, _P], _R]: ...
    def __call__(self, function: Callable[..., Any], /) -> Any:
        """Make the function the task of all these queues."""
        raise NotImplementedError
