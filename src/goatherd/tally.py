"""Counters by key, flushed into ordered jobs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

from goatherd.engine.context import BlockingContext, Context
from goatherd.engine.flushes import Flush
from goatherd.errors import DefinitionError
from goatherd.model.annotations import caller_scope
from goatherd.model.retry import Retry
from goatherd.model.seconds import Seconds, declared_span
from goatherd.model.tally import check_addition, check_tally_name
from goatherd.model.topology import Queue
from goatherd.task import AsyncTask, PlainTask, Task, make_task

if TYPE_CHECKING:
    from goatherd.app import Goatherd

_R = TypeVar("_R")
_Async: TypeAlias = Coroutine[Any, Any, _R]


class Tally:
    """Counters by key, flushed into ordered jobs; nothing lost, nothing counted twice."""

    def __init__(self, app: Goatherd, name: str) -> None:
        check_tally_name(name)
        self._app = app
        self._name = name
        self._every = 0.0
        self._task: Task[[str, int], Any] | None = None

    def __repr__(self) -> str:
        return f"<Tally {self._name} of {self._app.name}>"

    @property
    def name(self) -> str:
        """The name under which its counters are kept."""
        return self._name

    @property
    def app(self) -> Goatherd:
        """The app it belongs to."""
        return self._app

    async def add(self, key: str, amount: int, *, id: str | None = None) -> None:
        """Add to a key's counter; an id seen before is not added again.

        Durable when it returns. With an id it can be tried again after Unavailable; without one nobody knows then
        whether it was counted.
        """
        check_addition(self._name, key, amount, id)
        session = self._app.session()
        if amount:
            await (await session.recurring.tallies()).add(self._name, key, amount, id)

    def flush(
        self,
        *,
        every: Seconds,
        queue: str | Queue | None = None,
        retry: Retry | None = None,
        timeout: Seconds | None = None,
        remote: bool = False,
    ) -> RegisterFlush:
        """Declare the task that gets each key's total, one at a time for a key and in order.

        A total whose attempts have all failed holds its key until an operator decides. With `remote` totals go to the
        broker's queue for a program elsewhere, with the key and a growing number in their headers.
        """
        span = declared_span("every", every)
        if span <= 0:
            raise DefinitionError(f"The tally {self._name!r} has every={every!r}; it must be above 0 seconds.")
        options = {
            "queue": self._app.queue_name(queue),
            "retry": retry,
            "timeout": None if timeout is None else declared_span("timeout", timeout),
            "remote": remote or None,
        }
        return RegisterFlush(self, span, options)

    # --- for the rest of the package --------------------------------------------------------------

    def flushed_by(self, function: Callable[..., Any], every: float, options: Mapping[str, Any], scope: Any) -> Any:
        """Make a function the task that gets the totals; raises DefinitionError."""
        if self._task is not None:
            raise DefinitionError(
                f"The tally {self._name!r} is flushed by {self._task.name!r} already; a total can go to one task only."
            )
        key = _key_of(self._name, function)
        ordered = {} if options["remote"] else {"key": key}
        task = make_task(self._app, function, {**options, **ordered}, scope)
        self._app.add(task)
        self._task, self._every = task, every
        return task

    def flush_of(self) -> Flush | None:
        """What becomes of its totals, None if nobody has said; raises DefinitionError."""
        if self._task is None:
            return None
        definition = self._task.definition
        signature = definition.signature
        if len(signature.names) != 2 or any(
            signature.types[name] not in (wanted, Any)
            for name, wanted in zip(signature.names, (str, int), strict=False)
        ):
            raise _misfit(self._name, definition.name)
        limit = self._app.settings.payload_limit
        return Flush(tally=self._name, every=self._every, task=definition, app=self._app.name, payload_limit=limit)


class RegisterFlush:
    """The decorator that `tally.flush(...)` gives."""

    def __init__(self, tally: Tally, every: float, options: Mapping[str, Any]) -> None:
        self._tally = tally
        self._every = every
        self._options = options

    @overload
    def __call__(self, function: Callable[[Context, str, int], _Async[_R]], /) -> AsyncTask[[str, int], _R]: ...
    @overload
    def __call__(self, function: Callable[[str, int], _Async[_R]], /) -> AsyncTask[[str, int], _R]: ...  # type: ignore[overload-overlap]  # async is tried before plain
    @overload
    def __call__(self, function: Callable[[BlockingContext, str, int], _R], /) -> PlainTask[[str, int], _R]: ...
    @overload
    def __call__(self, function: Callable[[str, int], _R], /) -> PlainTask[[str, int], _R]: ...
    def __call__(self, function: Callable[..., Any], /) -> Any:
        """Make the function the task that gets the totals."""
        return self._tally.flushed_by(function, self._every, self._options, caller_scope())


def _key_of(tally: str, function: Callable[..., Any]) -> str:
    """The name of the argument that takes the key: the last but one, for a context may come first."""
    if not inspect.isfunction(function):
        # Said better by whoever makes a task of it.
        return "key"
    parameters = list(inspect.signature(function).parameters.values())
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(parameters) not in (2, 3) or len(positional) != len(parameters):
        raise _misfit(tally, function.__name__)
    return positional[-2].name


def _misfit(tally: str, task: str) -> DefinitionError:
    return DefinitionError(
        f"The task {task!r}, which flushes the tally {tally!r}, must take a key and its total: "
        f"`def {task}(key: str, total: int)`, by whatever names, perhaps after a context."
    )
