"""What can be said about a step beside what it comes after, and what is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from goatherd.errors import DefinitionError
from goatherd.model.retry import Retry
from goatherd.model.seconds import Seconds, declared_span
from goatherd.model.step_check import StepForm
from goatherd.model.topology import Queue

if TYPE_CHECKING:
    from goatherd.declared_steps import DeclaredSteps


class StepOptions(TypedDict, total=False):
    """What `pipeline.step` takes beside `after=`."""

    name: str
    queue: str | Queue
    retry: Retry
    timeout: Seconds
    concurrency: int
    executor: Literal["thread", "process"]
    remote: bool


class MapOptions(StepOptions, total=False):
    """What `pipeline.map` takes beside `over=`, `after=` and `batch=`."""

    on_failure: Literal["fail", "skip"]


def step_form(steps: DeclaredSteps, after: Any, options: Mapping[str, Any]) -> StepForm:
    """A step that is done as a whole; raises DefinitionError."""
    if "on_failure" in options:
        raise DefinitionError(
            f"A step of the pipeline {steps.pipeline!r} has on_failure=, but only an item of a map can be left out. "
            f"Without this step's result those after it cannot be done; use @step.compensate to give another."
        )
    _check_names(steps, options, StepOptions.__annotations__)
    named = steps.names_of(after, "after=")
    if not named:
        raise DefinitionError(
            f"A step of the pipeline {steps.pipeline!r} comes after nothing; its first steps come after the "
            f"pipeline's `input`."
        )
    return StepForm(name=_name_in(steps, options), after=named, run_as=_run_as(steps, options))


def map_form(steps: DeclaredSteps, over: Any, after: Any, batch: int | None, options: Mapping[str, Any]) -> StepForm:
    """A step that is done item by item; raises DefinitionError."""
    _check_names(steps, options, MapOptions.__annotations__)
    [listing, *others] = steps.names_of(over, "over=") or ("",)
    if others:
        raise DefinitionError(
            f"A map of the pipeline {steps.pipeline!r} is over several steps; it is over one, and after= names those "
            f"whose results each call gets beside the item."
        )
    # How many parcels of one run are worked on is for the records to know; a process may do as many as it can.
    run_as = {name: value for name, value in _run_as(steps, options).items() if name != "concurrency"}
    return StepForm(
        name=_name_in(steps, options),
        after=steps.names_of(after, "after="),
        over=listing,
        batch=_counted(steps, "batch", batch),
        at_once=_counted(steps, "concurrency", options.get("concurrency")),
        on_failure=options.get("on_failure", "fail"),
        run_as=run_as,
    )


def _run_as(steps: DeclaredSteps, options: Mapping[str, Any]) -> dict[str, Any]:
    """How the function is run, in the words of tasks."""
    said = {name: options.get(name) for name in ("retry", "concurrency", "executor", "remote")}
    said["queue"] = steps.app.queue_name(options.get("queue"))
    if options.get("timeout") is not None:
        said["timeout"] = declared_span("timeout", options["timeout"])
    return said


def _name_in(steps: DeclaredSteps, options: Mapping[str, Any]) -> str | None:
    name = options.get("name")
    if name is not None and (not isinstance(name, str) or not name or not name.isprintable()):
        raise DefinitionError(
            f"A step of the pipeline {steps.pipeline!r} has name={name!r}; give printable text, or leave it out to "
            f"take the function's own."
        )
    return name


def _counted(steps: DeclaredSteps, said: str, number: Any) -> int | None:
    if number is not None and (not isinstance(number, int) or number < 1):
        raise DefinitionError(
            f"A map of the pipeline {steps.pipeline!r} has {said}={number!r}; it is a whole number from 1."
        )
    return number


def _check_names(steps: DeclaredSteps, options: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    for name in options:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            meant = f"did you mean {near[0]}=?" if near else f"there are {', '.join(known)}."
            raise DefinitionError(
                f"A step of the pipeline {steps.pipeline!r} has {name}=, which is not an option of a step; {meant}"
            )
