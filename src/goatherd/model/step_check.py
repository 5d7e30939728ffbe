"""One step: what its decorator said, and whether its function can be called with what it comes after."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from goatherd.errors import DefinitionError
from goatherd.model.formats import FORMATS
from goatherd.model.pipeline import OnFailure, StepDefinition
from goatherd.model.task import TaskDefinition


@dataclass(frozen=True, kw_only=True)
class StepForm:
    """What the decorator said."""

    #: None means the function's own.
    name: str | None
    after: tuple[str, ...] = ()
    over: str | None = None
    batch: int | None = None
    at_once: int | None = None
    when: Callable[..., bool] | None = None
    on_failure: OnFailure = "fail"
    #: Queue, retry and the like, in the words of tasks.
    run_as: Mapping[str, Any] = field(default_factory=dict)

    @property
    def given(self) -> int:
        """With how many arguments the function is called."""
        return len(self.after) + (self.over is not None)


def define_step(
    pipeline: str, name: str, form: StepForm, task: TaskDefinition, stand_in: TaskDefinition | None
) -> StepDefinition:
    """The step as it is done; raises DefinitionError."""
    whose = f"Step {name!r} of pipeline {pipeline!r}"
    _check_choices(whose, form, stand_in)
    _check_remote(whose, form, task)
    compensated = None
    if stand_in is not None:
        told = 1 + (1 if form.over is not None else form.given)
        meant = "the failure and the item" if form.over is not None else "the failure and what the step was called with"
        compensated = _called_with(f"The stand-in of {_lower(whose)}", stand_in, told, meant)
    meant = "an item and the results of after=" if form.over is not None else "the results of after="
    return StepDefinition(
        name=name,
        task=_called_with(whose, task, form.given, meant),
        after=form.after,
        over=form.over,
        batch=form.batch,
        at_once=form.at_once,
        when=form.when,
        on_failure=form.on_failure,
        compensation=compensated,
        remote=task.remote,
    )


def check_test(pipeline: str, form: StepForm, test: Callable[..., bool]) -> None:
    """Raise DefinitionError for a test that cannot say whether a step is to be done."""
    whose = f"A step of the pipeline {pipeline!r} has a test under .when(...)"
    if not callable(test):
        raise DefinitionError(f"{whose} that is no function: {test!r}.")
    if inspect.iscoroutinefunction(test):
        raise DefinitionError(f"{whose} that is async. It is asked with what is on record already: make it a `def`.")
    try:
        inspect.signature(test).bind(*range(form.given))
    except TypeError as error:
        raise DefinitionError(
            f"{whose} that cannot be called with {_arguments(form.given)}, the results of after=: {error}."
        ) from error
    except ValueError:
        # Functions of C need not say what they take.
        return


def _check_choices(whose: str, form: StepForm, stand_in: TaskDefinition | None) -> None:
    if form.on_failure not in get_args(OnFailure):
        raise DefinitionError(f"{whose} has on_failure={form.on_failure!r}; it is 'fail' or 'skip'.")
    if form.on_failure == "skip" and stand_in is not None:
        raise DefinitionError(
            f"{whose} has on_failure='skip' and a function under .compensate; an item that failed for good is either "
            f"left out or stood in for. Take one of the two away."
        )


def _check_remote(whose: str, form: StepForm, task: TaskDefinition) -> None:
    if task.remote and form.over is not None:
        raise DefinitionError(
            f"{whose} is a map with remote=True, but a program of others does a step as a whole. Make it a step that "
            f"takes and gives the list, or do the items here."
        )
    if task.format is not FORMATS["native"] or task.answers is not None:
        raise DefinitionError(
            f"{whose} is on queue {task.queue!r}, which is described with another format than 'native' or with "
            f"answers_on=. A step's messages are in the native format: give the step a queue of its own."
        )


def _called_with(whose: str, task: TaskDefinition, count: int, meant: str) -> TaskDefinition:
    """The task with a signature of just what it is called with."""
    signature = task.signature
    for name in signature.names:
        if name not in signature.by_position and name in signature.required:
            raise DefinitionError(
                f"{whose} takes {name!r} by name only, but it is called with {meant}, in that order; move it before "
                f"the `*`."
            )
    least = sum(name in signature.required for name in signature.by_position)
    if not least <= count <= len(signature.by_position):
        taken = ", ".join(signature.by_position) or "nothing"
        raise DefinitionError(
            f"{whose} is called with {_arguments(count)}, {meant}, but its function {task.function.__name__!r} takes "
            f"{len(signature.by_position)} ({taken}). Let its parameters and what it comes after agree."
        )
    return replace(task, signature=signature.first(count))


def _arguments(count: int) -> str:
    return "1 argument" if count == 1 else f"{count} arguments"


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]
