"""What a program says about its app while its modules are imported: tasks, queues, pipelines, hooks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, TypeAlias, TypeVar, cast, overload

from goatherd.config import Sources, check_keywords, read_settings
from goatherd.engine.announcements import announcement_queue
from goatherd.engine.context import BlockingContext, Context
from goatherd.errors import DefinitionError
from goatherd.listener_book import ListenerBook
from goatherd.model.alert import Alert
from goatherd.model.annotations import caller_scope
from goatherd.model.answers import rule_for
from goatherd.model.async_function import is_async
from goatherd.model.contracts import Contracts
from goatherd.model.dead_letter import DeadLetter
from goatherd.model.formats import FORMATS, Format
from goatherd.model.lane import OnExhausted
from goatherd.model.pipeline import PipelineDefinition
from goatherd.model.pipeline_check import check_apart
from goatherd.model.retry import Retry
from goatherd.model.seconds import Seconds, declared_span
from goatherd.model.settings import Settings
from goatherd.model.task import TaskDefinition
from goatherd.model.topology import Queue, check_queue_name
from goatherd.model.unique import UniqueOption
from goatherd.pipeline import Pipeline
from goatherd.task import AsyncTask, PlainTask, Register, Task, register

if TYPE_CHECKING:
    from goatherd.app import Goatherd

_P = ParamSpec("_P")
_R = TypeVar("_R")
_I = TypeVar("_I")
_O = TypeVar("_O")
_Async: TypeAlias = Coroutine[Any, Any, _R]
Lifespan: TypeAlias = Callable[[], AsyncIterator[None]]
Around: TypeAlias = Callable[[Context], AsyncIterator[None]]
DeadLetterHook: TypeAlias = Callable[[DeadLetter], _Async[None]]
AlertHook: TypeAlias = Callable[[Alert], _Async[None]]


class Declared:
    """All that an app consists of."""

    def __init__(self, name: str, keywords: Mapping[str, Any]) -> None:
        check_queue_name(name)
        check_keywords(keywords)
        self._name = name
        self.keywords: Mapping[str, Any] = keywords
        self._tasks: dict[str, Task[..., Any]] = {}
        self._pipelines: dict[str, Pipeline[Any, Any]] = {}
        self._contracts = Contracts(name)
        #: The queues of tasks that have many.
        self.listener_book = ListenerBook(self._app, self._contracts)
        self.topology = self._contracts.topology
        self.lifespans: list[Lifespan] = []
        self.arounds: list[Around] = []
        self.dead_letter_hooks: list[DeadLetterHook] = []
        self.alert_hooks: list[AlertHook] = []

    @property
    def name(self) -> str:
        """The app's name, which its own queues and files carry."""
        return self._name

    # --- for users --------------------------------------------------------------------------------

    @overload
    def task(self, function: Callable[Concatenate[Context, _P], _Async[_R]], /) -> AsyncTask[_P, _R]: ...  # type: ignore[overload-overlap]  # a Context first is left out of what callers see
    @overload
    def task(self, function: Callable[_P, _Async[_R]], /) -> AsyncTask[_P, _R]: ...  # type: ignore[overload-overlap]  # async is tried before plain
    @overload
    def task(self, function: Callable[Concatenate[BlockingContext, _P], _R], /) -> PlainTask[_P, _R]: ...
    @overload
    def task(self, function: Callable[_P, _R], /) -> PlainTask[_P, _R]: ...
    @overload
    def task(
        self,
        *,
        name: str | None = None,
        queue: str | Queue | None = None,
        retry: Retry | None = None,
        timeout: Seconds | None = None,
        deadline: Seconds | None = None,
        priority: int = 0,
        concurrency: int | None = None,
        executor: Literal["thread", "process"] = "thread",
        remote: bool = False,
        tracked: bool = False,
        key: str | Callable[..., str | int] | None = None,
        lane: str | None = None,
        on_exhausted: OnExhausted = "hold",
        lane_limit: int | None = None,
        unique: UniqueOption | None = None,
    ) -> Register: ...
    def task(self, *functions: Callable[..., Any], **options: Any) -> Any:
        """Register a function as a task.

        `async def` runs on the event loop, `def` in a thread or, with `executor="process"`, in a process that can be
        killed. Everything here holds for all jobs of the task; `task.options(...)` is for one job.
        """
        for name in ("timeout", "deadline"):
            if options.get(name) is not None:
                options[name] = declared_span(name, options[name])
        options = {**options, "queue": self.queue_name(options.get("queue"))}
        if not functions:
            return Register(self._app, options)
        [function] = functions
        return register(self._app, function, options, caller_scope())

    @overload
    def pipeline(self, name: str, *, takes: type[_I]) -> Pipeline[_I, None]: ...
    @overload
    def pipeline(self, name: str, *, takes: type[_I], gives: type[_O]) -> Pipeline[_I, _O]: ...
    def pipeline(self, name: str, *, takes: Any, gives: Any = None) -> Pipeline[Any, Any]:
        """Declare a pipeline by what a run takes and gives; its steps are declared on it."""
        if name in self._pipelines:
            raise DefinitionError(
                f"The app {self._name!r} has two pipelines named {name!r}; give one of them another name."
            )
        made: Pipeline[Any, Any] = Pipeline(self._app, name, takes, gives)
        self._pipelines[name] = made
        return made

    def queue(  # noqa: PLR0913 - a contract has as many clauses as the broker knows
        self,
        name: str,
        *,
        format: Literal["native", "plain", "taskiq"] = "native",
        exchange: str = "",
        routing_key: str | None = None,
        type: Literal["quorum", "classic"] | None = None,
        ttl: Seconds | None = None,
        max_length: int | None = None,
        dead_letter: tuple[str, str] | None = None,
        arguments: Mapping[str, str | int | bool] | None = None,
        prefetch: int | None = None,
        passive: bool = False,
        answers_on: str | None = None,
        match: str | None = None,
        until: Mapping[str, Collection[str]] | None = None,
    ) -> Queue:
        """Describe a queue that has a contract with other programs.

        With `answers_on` the service that takes from it answers on that queue: an answer belongs to the job whose id
        is in its member `match`, earlier ones tell how far it is, and the first that fits `until` is the result.
        """
        described = Queue(
            name=name,
            contract=True,
            format=format,
            exchange=exchange,
            routing_key=routing_key,
            type=type,
            ttl=None if ttl is None else declared_span("ttl", ttl),
            max_length=max_length,
            dead_letter=dead_letter,
            arguments=dict(arguments or {}),
            prefetch=prefetch,
            passive=passive,
            answers=rule_for(name, answers_on, match, until),
        )
        self._contracts.add(described)
        return described

    def lifespan(self, function: Lifespan, /) -> Lifespan:
        """Wrap the life of a process that runs tasks: what is before `yield` precedes the first job."""
        self.lifespans.append(function)
        return function

    def around(self, function: Around, /) -> Around:
        """Wrap every attempt; an error here fails the attempt."""
        self.arounds.append(function)
        return function

    def on_dead_letter(self, function: DeadLetterHook, /) -> DeadLetterHook:
        """Be told of every dead letter, at least once, after it is stored."""
        self.dead_letter_hooks.append(function)
        return function

    def on_alert(self, function: AlertHook, /) -> AlertHook:
        """Be told by a scheduler of what needs a person, and when that is over; at least once, debounced.

        Raises DefinitionError if it is a plain function.
        """
        if not is_async(function):
            raise DefinitionError(
                f"@app.on_alert got {function!r}, which is a plain function and would stop a scheduler while it tells "
                f"somebody. Make it `async def`, and call what blocks with `await asyncio.to_thread(...)`."
            )
        self.alert_hooks.append(function)
        return function

    # --- for the rest of the package --------------------------------------------------------------

    @cached_property
    def settings(self) -> Settings:
        """The settings in force, read at first use."""
        return self._read[0]

    @cached_property
    def default_retry(self) -> Retry:
        """The rule of tasks that have none of their own."""
        return self._read[1]

    @cached_property
    def _read(self) -> tuple[Settings, Retry]:
        return read_settings(self._name, self.sources)

    @cached_property
    def sources(self) -> Sources:
        """Where settings are read from."""
        return Sources.here(self.keywords)

    @property
    def tasks(self) -> Mapping[str, Task[..., Any]]:
        """Every registered task by name."""
        return self._tasks

    def add(self, task: Task[..., Any]) -> None:
        """Register a task; raises DefinitionError if its name is taken."""
        if task.name in self._tasks:
            raise DefinitionError(
                f"The app {self._name!r} has two tasks named {task.name!r}; give one of them another name=."
            )
        self._tasks[task.name] = task

    @property
    def pipelines(self) -> Mapping[str, Pipeline[Any, Any]]:
        """Every pipeline by name."""
        return self._pipelines

    def pipeline_definitions(self) -> list[PipelineDefinition]:
        """Every pipeline, checked, with its defaults filled in; raises DefinitionError or SettingsError."""
        pipelines = [pipeline.definition for pipeline in self._pipelines.values()]
        check_apart(self.definitions(), pipelines)
        return pipelines

    def queue_name(self, queue: str | Queue | None) -> str | None:
        """What a declaration says as its `queue=`; raises DefinitionError for one that another app has described."""
        return self._contracts.own(queue).name if isinstance(queue, Queue) else queue

    def queue_named(self, name: str | None) -> Queue:
        """The described queue of that name, or one of our own; None means the default queue."""
        wanted = self.settings.default_queue if name is None else name
        return self._contracts.find(wanted) or Queue(name=wanted)

    def queue_in_use(self, name: str) -> Queue:
        """The same for any queue that jobs of this app may be on, also one of a task that has many."""
        return self._contracts.find(name) or self.listener_book.find(name) or Queue(name=name)

    def format_of(self, queue: str) -> Format:
        """How messages on a queue look."""
        if queue == announcement_queue(self._name).name:
            return FORMATS["plain"]
        # A dead letter of another program may come from a queue that could not even be named here.
        described = self._contracts.find(queue) or self.listener_book.find(queue)
        return FORMATS["native" if described is None else described.format]

    def definitions(self) -> list[TaskDefinition]:
        """Every task with its defaults filled in; raises DefinitionError or SettingsError."""
        return [task.definition for task in self._tasks.values()]

    def contracts(self) -> list[Queue]:
        """Every queue that the app uses, as it wants the broker to have it."""
        return self.announced_contracts() if self.dead_letter_hooks else self._own_contracts()

    def announced_contracts(self) -> list[Queue]:
        """The same queues, where somebody is told of their dead letters."""
        announcements = announcement_queue(self._name)
        return [replace(queue, announces_to=announcements.name) for queue in self._own_contracts()] + [announcements]

    def _own_contracts(self) -> list[Queue]:
        steps = [task for pipeline in self.pipeline_definitions() for task in pipeline.tasks]
        own = [task.queue for task in (*self.definitions(), *steps) if not task.has_many_queues]
        listeners = self.listener_book.queues()
        return self._contracts.with_those_of([*own, *listeners.fixed], listeners.fixed_queue)

    @property
    def _app(self) -> Goatherd:
        return cast("Goatherd", self)
