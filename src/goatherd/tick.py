"""A task that is due at certain times, as a program declares it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar, overload

from goatherd.engine.context import BlockingContext, Context
from goatherd.errors import DefinitionError
from goatherd.model.annotations import caller_scope
from goatherd.model.schedule import ScheduleRule
from goatherd.model.tick_pipeline import tick_pipeline
from goatherd.task import AsyncTask, PlainTask, Task, register

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.pipeline import PipelineDefinition

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Async: TypeAlias = Coroutine[Any, Any, _R]


@dataclass(frozen=True, kw_only=True)
class Tick:
    """A schedule and its task, whose name it has."""

    task: Task[..., Any]
    rule: ScheduleRule
    #: The setting that says another time than the literal one, if it is set.
    setting: str | None

    @property
    def pipeline(self) -> PipelineDefinition:
        """What is done when it fires: a run of one step, so that a tick is done once, under a lease."""
        return tick_pipeline(self.task.definition)


class RegisterTick:
    """The decorator that `app.cron(...)` and `app.every(...)` give."""

    def __init__(self, app: Goatherd, rule: ScheduleRule, setting: str | None, options: Mapping[str, Any]) -> None:
        self._app = app
        self._rule = rule
        self._setting = setting
        self._options = options

    @overload
    def __call__(self, function: Callable[[Context], _Async[_R]], /) -> AsyncTask[[], _R]: ...
    @overload
    def __call__(self, function: Callable[[], _Async[_R]], /) -> AsyncTask[[], _R]: ...  # type: ignore[overload-overlap]  # async is tried before plain
    @overload
    def __call__(self, function: Callable[[BlockingContext], _R], /) -> PlainTask[[], _R]: ...
    @overload
    def __call__(self, function: Callable[[], _R], /) -> PlainTask[[], _R]: ...
    def __call__(self, function: Callable[..., Any], /) -> Any:
        """Make the function a task that is due at these times."""
        task = register(self._app, function, self._options, caller_scope())
        self._app.add_tick(Tick(task=task, rule=self._rule, setting=self._setting))
        return task


def check_no_arguments(tick: Tick) -> None:
    """Raise DefinitionError for a task that cannot be called without arguments."""
    needed = sorted(tick.task.definition.signature.required)
    if needed:
        raise DefinitionError(
            f"The scheduled task {tick.task.name!r} needs {', '.join(needed)}, but nobody is there to give arguments "
            f"when it is due. Give them defaults, or use app.schedules.set(name, task.job(...), cron=...)."
        )
