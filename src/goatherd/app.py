"""The application: its tasks, their queues, and the ways to open and serve it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import cached_property
from types import TracebackType
from typing import Any, Concatenate, Literal, ParamSpec, Self, TypeAlias, TypeVar, Unpack, overload
from weakref import WeakKeyDictionary

from goatherd.config import Sources, check_keywords, read_settings
from goatherd.engine.announcements import announcement_queue
from goatherd.engine.context import BlockingContext, Context
from goatherd.engine.meter import Meter
from goatherd.engine.router import Router
from goatherd.errors import DefinitionError, NotOpen
from goatherd.model.annotations import caller_scope
from goatherd.model.answers import rule_for
from goatherd.model.contracts import Contracts
from goatherd.model.dead_letter import DeadLetter
from goatherd.model.formats import FORMATS, Format
from goatherd.model.health import Health
from goatherd.model.job import Job
from goatherd.model.lane import OnExhausted
from goatherd.model.retry import Retry
from goatherd.model.seconds import Seconds, declared_span
from goatherd.model.settings import Settings, SettingsKeywords
from goatherd.model.task import TaskDefinition
from goatherd.model.topology import Queue, check_queue_name
from goatherd.ports.clock import Clock, SystemClock
from goatherd.roles import Role, doing, serving
from goatherd.run import Run
from goatherd.session import Opener, Session
from goatherd.task import AsyncTask, PlainTask, Register, Task, register
from goatherd.wiring import open_ports

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Async: TypeAlias = Coroutine[Any, Any, _R]
Lifespan: TypeAlias = Callable[[], AsyncIterator[None]]
Around: TypeAlias = Callable[[Context], AsyncIterator[None]]
DeadLetterHook: TypeAlias = Callable[[DeadLetter], _Async[None]]


class Goatherd:
    """An application: its tasks and all that they need."""

    def __init__(self, name: str, **settings: Unpack[SettingsKeywords]) -> None:
        check_queue_name(name)
        check_keywords(settings)
        self._name = name
        self.keywords: Mapping[str, Any] = settings
        self._tasks: dict[str, Task[..., Any]] = {}
        self._contracts = Contracts(name)
        self.topology = self._contracts.topology
        self._sessions: dict[asyncio.AbstractEventLoop, Session] = {}
        #: Two tasks may enter at the same moment; the second waits for what the first opens.
        self._opening: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()
        self.lifespans: list[Lifespan] = []
        self.arounds: list[Around] = []
        self.dead_letter_hooks: list[DeadLetterHook] = []
        #: Those that run in this process.
        self.routers: list[Router] = []
        self.meter = Meter()
        self.clock: Clock = SystemClock()
        self.opener: Opener = open_ports

    def __repr__(self) -> str:
        return f"<Goatherd {self._name}>"

    @property
    def name(self) -> str:
        """The app's name, which its own queues and files carry."""
        return self._name

    # --- what it consists of ----------------------------------------------------------------------

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
    ) -> Register: ...
    def task(self, *functions: Callable[..., Any], **options: Any) -> Any:
        """Register a function as a task.

        `async def` runs on the event loop, `def` in a thread or, with `executor="process"`, in a process that can be
        killed. Everything here holds for all jobs of the task; `task.options(...)` is for one job.
        """
        for name in ("timeout", "deadline"):
            if options.get(name) is not None:
                options[name] = declared_span(name, options[name])
        if isinstance(options.get("queue"), Queue):
            options["queue"] = self._contracts.own(options["queue"]).name
        if not functions:
            return Register(self, options)
        [function] = functions
        return register(self, function, options, caller_scope())

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

    # --- what it does -----------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        """Open the ports that the app uses, so that verbs work."""
        loop = asyncio.get_running_loop()
        async with self._opening.setdefault(loop, asyncio.Lock()):
            session = self._sessions.get(loop)
            if session is None:
                keyed = any(task.lane is not None for task in self.definitions())
                declared = (self.settings, self.clock, self.meter, self.contracts(), self.opener)
                session = await Session.open(*declared, keyed=keyed)
                session.doing = lambda chore: doing(self, chore)
                self._sessions[loop] = session
            session.users += 1
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None:
        loop = asyncio.get_running_loop()
        session = self._sessions[loop]
        session.users -= 1
        if session.users == 0:
            del self._sessions[loop]
            await session.close()

    def serve(self, *roles: Role) -> AbstractAsyncContextManager[Goatherd]:
        """Open the app and run these roles inside this program."""
        return serving(self, roles)

    @overload
    def run(self, id: str) -> Run[Any]: ...
    @overload
    def run(self, id: str, of: Task[_P, _R]) -> Run[_R]: ...
    def run(self, id: str, of: Task[..., Any] | None = None) -> Run[Any]:
        """A tracked job by its id; with `of` its result has that task's type."""
        return Run(self, id, None if of is None else of.definition)

    async def send_many(self, jobs: Iterable[Job[Any]]) -> list[str]:
        """Send jobs of any tasks in one go, in order; returns their ids."""
        return await self.session().send_many(jobs)

    async def health(self) -> Health:
        """The state of this process and of its queues."""
        from goatherd.engine.health import gather_health

        session = self.session()
        own = session.calls.reply_queue
        return await gather_health(session.ports.broker, session.ports.operations, self.meter, own)

    def metrics(self) -> str:
        """This process's metrics in Prometheus text."""
        from goatherd.wiring import metrics_text, router_metrics_text

        return metrics_text(self.meter.readings()) + "".join(
            router_metrics_text(router.readings()) for router in self.routers[:1]
        )

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
        return read_settings(self._name, Sources.here(self.keywords))

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

    def queue_named(self, name: str | None) -> Queue:
        """The described queue of that name, or one of our own; None means the default queue."""
        wanted = self.settings.default_queue if name is None else name
        return self._contracts.find(wanted) or Queue(name=wanted)

    def format_of(self, queue: str) -> Format:
        """How messages on a queue look."""
        if queue == announcement_queue(self._name).name:
            return FORMATS["plain"]
        # A dead letter of another program may come from a queue that could not even be named here.
        return FORMATS[described.format if (described := self._contracts.find(queue)) is not None else "native"]

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
        return self._contracts.with_those_of(task.queue for task in self.definitions())

    def session(self) -> Session:
        """The open session of this event loop; raises NotOpen."""
        try:
            return self._sessions[asyncio.get_running_loop()]
        except (KeyError, RuntimeError) as error:
            raise NotOpen(self._name) from error
