"""What a program says about work that begins by itself: at times, from data, from counters, from outside."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Mapping
from typing import Any, Literal, TypeVar, overload

from goatherd.config import read_timing
from goatherd.declared import Declared
from goatherd.errors import DefinitionError, SettingsError
from goatherd.inbox import Inbox, Route
from goatherd.listening import Listening, RegisterListener
from goatherd.model.pipeline import PipelineDefinition
from goatherd.model.retry import Retry
from goatherd.model.schedule import Cron, Delay, Misfire, Overlap, Rate, ScheduleRule, Timing
from goatherd.model.schedule import Declared as DeclaredSchedule
from goatherd.model.seconds import Seconds, declared_span
from goatherd.model.tick_pipeline import check_schedule_name
from goatherd.model.timing import check_rule
from goatherd.model.topology import Queue
from goatherd.schedules import Schedules
from goatherd.tally import Tally
from goatherd.tick import RegisterTick, Tick, check_no_arguments

_Name = TypeVar("_Name", bound=str | int)


class Recurring(Declared):
    """What an app does without being asked."""

    def __init__(self, name: str, keywords: Mapping[str, Any]) -> None:
        super().__init__(name, keywords)
        self._ticks: dict[str, Tick] = {}
        self._tallies: dict[str, Tally] = {}
        self._inboxes: list[Inbox] = []

    def cron(  # noqa: PLR0913 - a schedule has as many clauses as its task and its times
        self,
        expression: str,
        *,
        tz: str = "UTC",
        setting: str | None = None,
        name: str | None = None,
        queue: str | Queue | None = None,
        retry: Retry | None = None,
        timeout: Seconds | None = None,
        overlap: Overlap = "forbid",
        misfire: Misfire = "once",
        jitter: Seconds = 0,
        min_spacing: Seconds = 0,
    ) -> RegisterTick:
        """Run a task at the times of a cron expression (six fields, seconds first; or five).

        `setting` names an environment variable or a line of `[schedules]` in goatherd.toml that says another one.
        """
        spans = (declared_span("jitter", jitter), declared_span("min_spacing", min_spacing))
        options = self._tick_options(name, queue, retry, timeout)
        return self._tick(Cron(expression, tz), overlap, misfire, spans, setting, options)

    def every(  # noqa: PLR0913 - the same
        self,
        seconds: Seconds,
        *,
        after_end: bool = False,
        setting: str | None = None,
        name: str | None = None,
        queue: str | Queue | None = None,
        retry: Retry | None = None,
        timeout: Seconds | None = None,
        overlap: Overlap = "forbid",
        misfire: Misfire = "once",
        jitter: Seconds = 0,
        min_spacing: Seconds = 0,
    ) -> RegisterTick:
        """Run a task at a fixed rate, or a fixed delay after its last run ended."""
        span = declared_span("seconds", seconds)
        spans = (declared_span("jitter", jitter), declared_span("min_spacing", min_spacing))
        options = self._tick_options(name, queue, retry, timeout)
        return self._tick(Delay(span) if after_end else Rate(span), overlap, misfire, spans, setting, options)

    @overload
    def listeners(
        self,
        pattern: str,
        source: Callable[[], Coroutine[Any, Any, Collection[_Name]]],
        *,
        every: Seconds = 10,
        format: Literal["native", "plain"] = "native",
        retry: Retry | None = None,
        timeout: Seconds | None = None,
    ) -> RegisterListener[_Name]: ...
    @overload
    def listeners(
        self,
        pattern: str,
        source: Callable[[], AsyncIterator[Collection[_Name]]],
        *,
        format: Literal["native", "plain"] = "native",
        retry: Retry | None = None,
        timeout: Seconds | None = None,
    ) -> RegisterListener[_Name]: ...
    @overload
    def listeners(
        self,
        pattern: str,
        source: Collection[_Name],
        *,
        format: Literal["native", "plain"] = "native",
        retry: Retry | None = None,
        timeout: Seconds | None = None,
    ) -> RegisterListener[_Name]: ...
    def listeners(
        self,
        pattern: str,
        source: Any,
        *,
        every: Seconds = 10,
        format: Literal["native", "plain"] = "native",
        retry: Retry | None = None,
        timeout: Seconds | None = None,
    ) -> RegisterListener[Any]:
        """Declare one task for many queues, `pattern` filled in with each name that the source wants.

        The source is an async function that is asked every so many seconds, an async generator that yields all names
        at each change, or a fixed collection. The name is the task's first argument.
        """
        listening = Listening(pattern=pattern, source=source, every=declared_span("every", every), format=format)
        options = {"retry": retry, "timeout": None if timeout is None else declared_span("timeout", timeout)}
        return RegisterListener(self._app, listening, options)

    def tally(self, name: str) -> Tally:
        """Declare counters by key; what becomes of their totals is declared on it."""
        if name in self._tallies:
            raise DefinitionError(f"The app {self.name!r} has two tallies named {name!r}; give one another name.")
        made = self._tallies[name] = Tally(self._app, name)
        return made

    def inbox(self, source: str, *, route: Route = None) -> Inbox:
        """Take commands from an outside source: `firebase+https://…`, `redis://…`."""
        made = Inbox(self._app, source, route)
        self._inboxes.append(made)
        return made

    @property
    def schedules(self) -> Schedules:
        """Schedules that are made and changed while the app runs."""
        return Schedules(self._app)

    # --- for the rest of the package --------------------------------------------------------------

    @property
    def ticks(self) -> Mapping[str, Tick]:
        """Every scheduled task by name."""
        return self._ticks

    @property
    def tallies(self) -> Mapping[str, Tally]:
        """Every tally by name."""
        return self._tallies

    @property
    def inboxes(self) -> Collection[Inbox]:
        """Every inbox."""
        return self._inboxes

    def add_tick(self, tick: Tick) -> None:
        """Note the schedule of a task that is registered."""
        check_schedule_name(tick.task.name)
        check_rule(tick.task.name, tick.rule)
        self._ticks[tick.task.name] = tick

    def declared_schedules(self) -> list[DeclaredSchedule]:
        """Every schedule with the times that are in force; raises SettingsError with all that is wrong."""
        declared: list[DeclaredSchedule] = []
        problems: list[str] = []
        for name, tick in self._ticks.items():
            try:
                declared.append(DeclaredSchedule(name=name, rule=self._in_force(tick)))
            except SettingsError as error:
                problems += error.problems
        if problems:
            raise SettingsError(problems)
        return declared

    def tick_pipelines(self) -> list[PipelineDefinition]:
        """What is done when each of them fires; raises DefinitionError."""
        for name, tick in self._ticks.items():
            check_no_arguments(tick)
            if name in self.pipelines:
                raise DefinitionError(
                    f"The app {self.name!r} has a pipeline and a scheduled task named {name!r}; give one another name."
                )
        return [tick.pipeline for tick in self._ticks.values()]

    def _in_force(self, tick: Tick) -> ScheduleRule:
        if tick.setting is None:
            return tick.rule
        return read_timing(tick.task.name, tick.rule, tick.setting, self.sources)

    def _tick_options(
        self, name: str | None, queue: str | Queue | None, retry: Retry | None, timeout: Seconds | None
    ) -> Mapping[str, Any]:
        span = None if timeout is None else declared_span("timeout", timeout)
        return {"name": name, "queue": self.queue_name(queue), "retry": retry, "timeout": span}

    def _tick(
        self,
        timing: Timing,
        overlap: Overlap,
        misfire: Misfire,
        spans: tuple[float, float],
        setting: str | None,
        options: Mapping[str, Any],
    ) -> RegisterTick:
        jitter, min_spacing = spans
        rule = ScheduleRule(timing=timing, overlap=overlap, misfire=misfire, jitter=jitter, min_spacing=min_spacing)
        return RegisterTick(self._app, rule, setting, options)
