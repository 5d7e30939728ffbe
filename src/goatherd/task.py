"""A registered function and its verbs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import fields
from datetime import datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Self, TypeAlias, TypeVar, cast, overload

import msgspec

from goatherd.engine.context import BlockingContext, Context, current
from goatherd.engine.enqueue import prepare
from goatherd.errors import DefinitionError
from goatherd.model.annotations import caller_scope, resolve, resolve_now
from goatherd.model.formats import FORMATS, Work
from goatherd.model.job import NO_OPTIONS, Job, JobOptions, job_options
from goatherd.model.lane_rule import lane_rule
from goatherd.model.seconds import Seconds
from goatherd.model.signature import Signature
from goatherd.model.statement import UserConnection
from goatherd.model.task import Declaration, TaskDefinition, Wants
from goatherd.model.unique import UniqueOption, checked_unique
from goatherd.ports.clock import SystemClock
from goatherd.run import Run

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.settings import Settings

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Async: TypeAlias = Coroutine[Any, Any, _R]


class Task(Generic[_P, _R]):
    """A registered function and its verbs."""

    def __init__(self, app: Goatherd, declaration: Declaration, hints: Mapping[str, Any] | None) -> None:
        self._app = app
        self._declaration = declaration
        self._hints = hints
        self._definition: tuple[Settings, TaskDefinition] | None = None
        self._options = NO_OPTIONS
        self.__doc__ = declaration.function.__doc__
        self.__name__ = declaration.name
        self.__wrapped__ = declaration.function

    def __repr__(self) -> str:
        return f"<Task {self.name} of {self._app.name}>"

    @property
    def name(self) -> str:
        """The name under which it is known on the wire."""
        return self._declaration.name

    @property
    def app(self) -> Goatherd:
        """The app it belongs to."""
        return self._app

    @property
    def definition(self) -> TaskDefinition:
        """The task with every default filled in; raises DefinitionError or SettingsError."""
        settings = self._app.settings
        # Tests put other settings into the app's place, so what was filled in holds for those that it came from.
        if self._definition is None or self._definition[0] is not settings:
            self._definition = (settings, self._define())
        return self._definition[1]

    def options(  # noqa: PLR0913 - a job has as many options as users may want
        self,
        *,
        delay: Seconds | None = None,
        at: datetime | None = None,
        deadline: Seconds | None = None,
        id: str | None = None,
        unique: UniqueOption | None = None,
        priority: int | None = None,
        within: UserConnection | None = None,
        keep_place: bool = False,
    ) -> Self:
        """The same task with options for the next verb, beside those it already has.

        A delayed job of a task with a key joins its lane when it is due; with `keep_place` it takes its place now, and
        the lane waits for it. With `within` the job is sent if and only if the transaction of that connection commits.
        """
        said = job_options(delay, at, deadline, id, priority).once(unique, within, keep_place=keep_place)
        return self._with(self._options.then(said))

    async def send(self, *args: _P.args, **kwargs: _P.kwargs) -> str:
        """Fire and forget; durable when it returns the job's id."""
        return await self._app.session().send(self.job(*args, **kwargs))

    async def call(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Ask and wait for the answer until the deadline."""
        result: Any = await self._app.session().call(self.job(*args, **kwargs))
        return cast(_R, result)

    async def start(self, *args: _P.args, **kwargs: _P.kwargs) -> Run[_R]:
        """Send it tracked: whoever knows its id can watch it, wait for its result, or cancel it."""
        job = self.job(*args, **kwargs)
        return Run(self._app, await self._app.session().start(job), job.definition)

    def job(self, /, *args: _P.args, **kwargs: _P.kwargs) -> Job[_R]:
        """Check the arguments and make a job for `app.send_many`."""
        return prepare(self.definition, args, kwargs, self._options, self._app.settings.payload_limit, self._app.name)

    def _with(self, options: JobOptions) -> Self:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._options = options
        return other

    def _define(self) -> TaskDefinition:
        said = self._declaration
        hints = self._hints if self._hints is not None else resolve_now(said.function, said.name)
        wants = _wanted_context(said, hints)
        queue = self._app.queue_named(said.queue)
        signature = Signature.of(said.function, said.name, 0 if wants == "nothing" else 1, hints)
        if queue.format == "plain" and len(signature.names) == 1 and signature.positional_only:
            signature = signature.taking_whole_body()
        return TaskDefinition(
            name=said.name,
            function=said.function,
            queue=queue.name,
            format=FORMATS[queue.format],
            signature=signature,
            wants=wants,
            place=said.place,
            retry=said.retry or self._app.default_retry,
            timeout=said.timeout,
            deadline=said.deadline,
            priority=said.priority,
            concurrency=said.concurrency,
            remote=said.remote,
            # What a service answers on a queue of its own is noted only for those who ask to watch it.
            tracked=said.tracked or (self._app.settings.track_all and queue.answers is None),
            answers=queue.answers,
            lane=None if said.lanes is None else lane_rule(said.lanes, queue.name, signature),
            unique=None if said.unique is None else checked_unique(said.unique, f"Task {said.name!r}"),
        )

    def _run_here(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the function itself, with the context of the job that calls it or one made up for this call."""
        task = self.definition
        if task.wants == "nothing":
            return task.function(*args, **kwargs)
        kind = Context if task.wants == "context" else BlockingContext
        calling = current.get()
        if calling is None:
            clock = SystemClock()
            work = Work(job_id="local", task=task.name, payload=_NOTHING, created=clock.now())
            calling = kind(self._app, task.name, task.queue, work, clock, None)
        return task.function(calling.seen_as(kind), *args, **kwargs)


class AsyncTask(Task[_P, _R]):
    """A task that is an `async def`."""

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _Async[_R]:
        """Run the function here and now, without a queue."""
        running: _Async[_R] = self._run_here(args, kwargs)
        return running


class PlainTask(Task[_P, _R]):
    """A task that is a plain `def`."""

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Run the function here and now, without a queue."""
        result: _R = self._run_here(args, kwargs)
        return result


class Register:
    """The decorator that `app.task(...)` gives."""

    def __init__(self, app: Goatherd, options: Mapping[str, Any]) -> None:
        self._app = app
        self._options = options

    @overload
    def __call__(self, function: Callable[Concatenate[Context, _P], _Async[_R]], /) -> AsyncTask[_P, _R]: ...  # type: ignore[overload-overlap]  # a Context first is left out of what callers see
    @overload
    def __call__(self, function: Callable[_P, _Async[_R]], /) -> AsyncTask[_P, _R]: ...  # type: ignore[overload-overlap]  # async is tried before plain
    @overload
    def __call__(self, function: Callable[Concatenate[BlockingContext, _P], _R], /) -> PlainTask[_P, _R]: ...
    @overload
    def __call__(self, function: Callable[_P, _R], /) -> PlainTask[_P, _R]: ...
    def __call__(self, function: Callable[..., Any], /) -> Any:
        """Register the function."""
        return register(self._app, function, self._options, caller_scope())


def register(
    app: Goatherd, function: Callable[..., Any], options: Mapping[str, Any], scope: Mapping[str, Any]
) -> Task[..., Any]:
    """Make a task of a function and add it to the app; `scope` are the names around the decorator."""
    task = make_task(app, function, options, scope)
    app.add(task)
    return task


def make_task(
    app: Goatherd,
    function: Callable[..., Any],
    options: Mapping[str, Any],
    scope: Mapping[str, Any],
    kinds: tuple[type[AsyncTask[..., Any]], type[PlainTask[..., Any]]] = (AsyncTask, PlainTask),
) -> AsyncTask[..., Any] | PlainTask[..., Any]:
    """Make a task of a function, of the first kind if that is async; raises DefinitionError."""
    if not inspect.isfunction(function):
        raise DefinitionError(f"{function!r} cannot be a task: it is not a function. Decorate a `def` or `async def`.")
    if inspect.isasyncgenfunction(function) or inspect.isgeneratorfunction(function):
        raise DefinitionError(f"Task {function.__name__!r} is a generator; a task returns its result once.")
    _check_options(function.__name__, options)
    declared = {name: value for name, value in options.items() if value is not None}
    declaration = Declaration(**{"name": function.__name__, **declared, "function": function})
    kind = kinds[0] if declaration.is_async else kinds[1]
    task: AsyncTask[..., Any] | PlainTask[..., Any] = kind(app, declaration, resolve(function, scope))
    return task


def _check_options(task: str, options: Mapping[str, Any]) -> None:
    known = [field.name for field in fields(Declaration) if field.name != "function"]
    for name in options:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            meant = f"did you mean {near[0]}=?" if near else f"there are {', '.join(known)}."
            raise DefinitionError(f"Task {task!r} has {name}=, which is not an option of a task; {meant}")


def _wanted_context(said: Declaration, hints: Mapping[str, Any]) -> Wants:
    first = next(iter(inspect.signature(said.function).parameters), None)
    wanted = hints.get(first) if first is not None else None
    if wanted not in (Context, BlockingContext):
        return "nothing"
    if (wanted is Context) != said.is_async:
        right = "goatherd.Context" if said.is_async else "goatherd.sync.Context"
        raise DefinitionError(
            f"Task {said.name!r} is {'an async' if said.is_async else 'a plain'} function, so its context is a {right}."
        )
    return "context" if wanted is Context else "blocking context"


_NOTHING = msgspec.Raw(b"{}")
