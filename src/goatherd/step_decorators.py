"""The decorators that make steps of functions: `pipeline.step(...)`, `.when(...)` and `pipeline.map(...)`."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, TypeVarTuple, overload

from goatherd.engine.context import BlockingContext, Context
from goatherd.model.annotations import caller_scope
from goatherd.model.step_check import StepForm, check_test
from goatherd.step import BatchStep, ItemStep, PlainStep

if TYPE_CHECKING:
    from goatherd.declared_steps import DeclaredSteps

_R = TypeVar("_R")
_I = TypeVar("_I")
_O = TypeVar("_O")
_Ts = TypeVarTuple("_Ts")
_Async: TypeAlias = Coroutine[Any, Any, _R]


class _Decorator:
    """What all of them know."""

    def __init__(self, steps: DeclaredSteps, form: StepForm) -> None:
        self._steps = steps
        self._form = form


class StepOf(_Decorator, Generic[*_Ts]):
    """What `pipeline.step(...)` gives."""

    def when(self, test: Callable[[*_Ts], bool], /) -> MaybeStepOf[*_Ts]:
        """Do the step only if the test holds; else later steps get None for it."""
        check_test(self._steps.pipeline, self._form, test)
        return MaybeStepOf(self._steps, replace(self._form, when=test))

    @overload
    def __call__(self, function: Callable[[Context, *_Ts], _Async[_R]], /) -> PlainStep[_R, *_Ts]: ...
    @overload
    def __call__(self, function: Callable[[*_Ts], _Async[_R]], /) -> PlainStep[_R, *_Ts]: ...
    @overload
    def __call__(self, function: Callable[[BlockingContext, *_Ts], _R], /) -> PlainStep[_R, *_Ts]: ...
    @overload
    def __call__(self, function: Callable[[*_Ts], _R], /) -> PlainStep[_R, *_Ts]: ...
    def __call__(self, function: Callable[..., Any], /) -> Any:
        """Make the function a step."""
        return PlainStep(self._steps, self._form, function, caller_scope())


class MaybeStepOf(_Decorator, Generic[*_Ts]):
    """What `pipeline.step(...).when(...)` gives."""

    @overload
    def __call__(self, function: Callable[[Context, *_Ts], _Async[_R]], /) -> PlainStep[_R | None, *_Ts]: ...
    @overload
    def __call__(self, function: Callable[[*_Ts], _Async[_R]], /) -> PlainStep[_R | None, *_Ts]: ...
    @overload
    def __call__(self, function: Callable[[BlockingContext, *_Ts], _R], /) -> PlainStep[_R | None, *_Ts]: ...
    @overload
    def __call__(self, function: Callable[[*_Ts], _R], /) -> PlainStep[_R | None, *_Ts]: ...
    def __call__(self, function: Callable[..., Any], /) -> Any:
        """Make the function a step that may be passed over."""
        return PlainStep(self._steps, self._form, function, caller_scope())


class MapOf(_Decorator, Generic[_I, *_Ts]):
    """What `pipeline.map(...)` gives."""

    @overload
    def __call__(self, function: Callable[[Context, _I, *_Ts], _Async[_O]], /) -> ItemStep[_I, _O, *_Ts]: ...
    @overload
    def __call__(self, function: Callable[[_I, *_Ts], _Async[_O]], /) -> ItemStep[_I, _O, *_Ts]: ...
    @overload
    def __call__(self, function: Callable[[BlockingContext, _I, *_Ts], _O], /) -> ItemStep[_I, _O, *_Ts]: ...
    @overload
    def __call__(self, function: Callable[[_I, *_Ts], _O], /) -> ItemStep[_I, _O, *_Ts]: ...
    def __call__(self, function: Callable[..., Any], /) -> Any:
        """Make the function a step that is done for each item."""
        return ItemStep(self._steps, self._form, function, caller_scope())


class BatchMapOf(_Decorator, Generic[_I, *_Ts]):
    """What `pipeline.map(..., batch=...)` gives."""

    @overload
    def __call__(
        self, function: Callable[[Context, list[_I], *_Ts], _Async[list[_O]]], /
    ) -> BatchStep[_I, _O, *_Ts]: ...
    @overload
    def __call__(self, function: Callable[[list[_I], *_Ts], _Async[list[_O]]], /) -> BatchStep[_I, _O, *_Ts]: ...
    @overload
    def __call__(
        self, function: Callable[[BlockingContext, list[_I], *_Ts], list[_O]], /
    ) -> BatchStep[_I, _O, *_Ts]: ...
    @overload
    def __call__(self, function: Callable[[list[_I], *_Ts], list[_O]], /) -> BatchStep[_I, _O, *_Ts]: ...
    def __call__(self, function: Callable[..., Any], /) -> Any:
        """Make the function a step that is done for some items at a time."""
        return BatchStep(self._steps, self._form, function, caller_scope())
