"""A step of a pipeline: what others come after, what runs, and what stands in for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, TypeVarTuple, overload

from goatherd.errors import DefinitionError
from goatherd.model.annotations import caller_scope
from goatherd.model.failure import Failure
from goatherd.model.pipeline import StepDefinition
from goatherd.model.step_check import StepForm, define_step
from goatherd.model.task import TaskDefinition
from goatherd.model.topology import Queue
from goatherd.task import AsyncTask, PlainTask, make_task

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.declared_steps import DeclaredSteps

R_co = TypeVar("R_co", covariant=True)
_R = TypeVar("_R")
_I = TypeVar("_I")
_O = TypeVar("_O")
_Ts = TypeVarTuple("_Ts")
_Async: TypeAlias = Coroutine[Any, Any, _R]
_AnyTask: TypeAlias = AsyncTask[..., Any] | PlainTask[..., Any]
#: The local names around a decorator.
Names: TypeAlias = Mapping[str, Any]


class Step(Generic[R_co]):
    """A node of a pipeline, as `after=` and `over=` take it; `pipeline.input` is one too."""

    def __init__(self, pipeline: str, name: str) -> None:
        self._pipeline = pipeline
        self._name = name

    def __repr__(self) -> str:
        return f"<Step {self._pipeline}.{self._name or 'input'}>"

    @property
    def name(self) -> str:
        """The name under which messages and records know it; nothing for the pipeline's input."""
        return self._name


class FunctionStep(Step[R_co]):
    """A step that is a function."""

    def __init__(self, steps: DeclaredSteps, form: StepForm, function: Callable[..., Any], names: Names) -> None:
        super().__init__(steps.pipeline, form.name or str(getattr(function, "__name__", "")))
        self._steps = steps
        self._form = form
        self._task = self._as_task(self._name, function, form.run_as, names)
        self._stand_in: _AnyTask | None = None
        self.__doc__ = function.__doc__
        self.__name__ = self._name
        self.__wrapped__ = function
        steps.add(self)

    @property
    def app(self) -> Goatherd:
        """The app it belongs to."""
        return self._steps.app

    @property
    def definition(self) -> TaskDefinition:
        """How its function is run; raises DefinitionError or SettingsError."""
        return self._steps.definition.steps[self._name].task

    @property
    def planned(self) -> StepDefinition:
        """The step with every default filled in; raises DefinitionError or SettingsError."""
        stand_in = None if self._stand_in is None else self._stand_in.definition
        return define_step(self._pipeline, self._name, self._form, self._task.definition, stand_in)

    async def _run_here(self, *args: Any) -> Any:
        """Call the function itself; one that is no coroutine has a thread, so that the loop goes on."""
        if isinstance(self._task, AsyncTask):
            return await self._task(*args)
        return await asyncio.to_thread(self._task, *args)

    def compensate_with(self, function: Callable[..., Any], queue: str | Queue | None, names: Names) -> None:
        """Let the function stand in for what failed for good; raises DefinitionError if there is one already."""
        if self._stand_in is not None:
            raise DefinitionError(
                f"Step {self._name!r} of pipeline {self._pipeline!r} has two functions under @{self._name}.compensate; "
                f"only one can stand in for it."
            )
        like_the_step = {name: self._form.run_as.get(name) for name in ("queue", "retry", "timeout")}
        options = like_the_step if queue is None else {**like_the_step, "queue": self.app.queue_name(queue)}
        self._stand_in = self._as_task(f"{self._name}.compensate", function, options, names)
        self._steps.changed()

    def _as_task(self, name: str, function: Callable[..., Any], options: Mapping[str, Any], names: Names) -> _AnyTask:
        return make_task(self._steps.app, function, {**options, "name": f"{self._pipeline}.{name}"}, names)


class Compensation(Generic[R_co, *_Ts]):
    """The decorator that `step.compensate(queue=...)` gives."""

    def __init__(self, step: FunctionStep[Any], queue: str | Queue) -> None:
        self._step = step
        self._queue = queue

    def __call__(self, function: Callable[[Failure, *_Ts], _Async[R_co]], /) -> Callable[[Failure, *_Ts], _Async[R_co]]:
        """Let the function stand in."""
        self._step.compensate_with(function, self._queue, caller_scope())
        return function


class PlainStep(FunctionStep[R_co], Generic[R_co, *_Ts]):
    """A step that is done as a whole."""

    def __call__(self, *args: *_Ts) -> _Async[R_co]:
        """Run the function here and now, without a queue."""
        return self._run_here(*args)

    @overload
    def compensate(
        self, function: Callable[[Failure, *_Ts], _Async[R_co]], /
    ) -> Callable[[Failure, *_Ts], _Async[R_co]]: ...
    @overload
    def compensate(self, *, queue: str | Queue) -> Compensation[R_co, *_Ts]: ...
    def compensate(self, *functions: Any, queue: Any = None) -> Any:
        """Called when the step failed for good; what it returns stands in for the result."""
        return _compensate(self, functions, queue, caller_scope())


class MapStep(FunctionStep[list[_O]], Generic[_I, _O]):
    """A step that is done for each item of a list."""

    @overload
    def compensate(self, function: Callable[[Failure, _I], _Async[_O]], /) -> Callable[[Failure, _I], _Async[_O]]: ...
    @overload
    def compensate(self, *, queue: str | Queue) -> Compensation[_O, _I]: ...
    def compensate(self, *functions: Any, queue: Any = None) -> Any:
        """Called for each item that failed for good; what it returns stands in for its result."""
        return _compensate(self, functions, queue, caller_scope())


class ItemStep(MapStep[_I, _O], Generic[_I, _O, *_Ts]):
    """One item in, one result out."""

    def __call__(self, item: _I, *args: *_Ts) -> _Async[_O]:
        """Run the function here and now, without a queue."""
        return self._run_here(item, *args)


class BatchStep(MapStep[_I, _O], Generic[_I, _O, *_Ts]):
    """Some items in, as many results out."""

    def __call__(self, items: list[_I], *args: *_Ts) -> _Async[list[_O]]:
        """Run the function here and now, without a queue."""
        return self._run_here(items, *args)


def _compensate(step: FunctionStep[Any], functions: tuple[Any, ...], queue: Any, names: Names) -> Any:
    if not functions:
        return Compensation(step, queue)
    [function] = functions
    step.compensate_with(function, queue, names)
    return function
