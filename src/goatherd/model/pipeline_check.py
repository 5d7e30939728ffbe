"""Whether the steps of a pipeline fit each other: everything that can be known before the first run."""

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from goatherd.errors import DefinitionError
from goatherd.model.failure import Failure
from goatherd.model.fitting import fits, items_of, list_of, named, or_none
from goatherd.model.pipeline import PipelineDefinition, StepDefinition
from goatherd.model.signature import Signature
from goatherd.model.task import TaskDefinition

#: The run's input among the steps, as in `StepDefinition.after`.
_INPUT = ""


def input_signature(pipeline: str, takes: Any, gives: Any) -> Signature:
    """How a run's input is checked and its result is read; the payload is the bare input."""
    if not pipeline or not pipeline.isprintable():
        raise DefinitionError(f"A pipeline has the name {pipeline!r}; give it one of printable text.")
    parameter = inspect.Parameter("input", inspect.Parameter.POSITIONAL_ONLY)
    return Signature(pipeline, [parameter], {"input": takes}, gives).taking_whole_body()


def check_pipeline(name: str, steps: Sequence[StepDefinition], takes: Signature) -> PipelineDefinition:
    """The pipeline, if all of it fits together; raises DefinitionError."""
    if not steps:
        raise DefinitionError(f"The pipeline {name!r} has no steps; declare its first with @{name}.step(after=...).")
    results: dict[str, Any] = {_INPUT: takes.types["input"]}
    for step in steps:
        check = _StepCheck(name, step, results)
        check.before()
        check.arguments()
        check.stand_in()
        results[step.name] = check.result()
    last = _last_of(name, steps)
    if not fits(results[last], takes.result):
        raise DefinitionError(
            f"The last step of pipeline {name!r}, {last!r}, gives {named(results[last])}, but the pipeline says that "
            f"a run gives {named(takes.result)}. Let gives= and what {last!r} returns agree."
        )
    by_name = {step.name: step for step in steps}
    return PipelineDefinition(name=name, steps=by_name, last=last, takes=takes, gives=takes.result)


def check_apart(tasks: Iterable[TaskDefinition], pipelines: Iterable[PipelineDefinition]) -> None:
    """Raise DefinitionError where a message could mean a task as well as a step: other programs name only the step."""
    taken = {(task.queue, task.name) for task in tasks}
    for pipeline in pipelines:
        for step in pipeline.steps.values():
            for task in (step.task, step.compensation):
                if task is not None and (task.queue, step.name) in taken:
                    raise DefinitionError(
                        f"The step {step.name!r} of pipeline {pipeline.name!r} and the task {step.name!r} are both on "
                        f"queue {task.queue!r}, where messages could mean either. Give one of them another name= or "
                        f"another queue=."
                    )


def _last_of(pipeline: str, steps: Sequence[StepDefinition]) -> str:
    used = {name for step in steps for name in step.before}
    unused = [step.name for step in steps if step.name not in used]
    if len(unused) != 1:
        # Each step comes after others that were declared before it, so one at least has nothing after it.
        told = ", ".join(map(repr, unused))
        raise DefinitionError(
            f"Nothing comes after the steps {told} of pipeline {pipeline!r}, but the one step that nothing comes after "
            f"gives the run's result. Add a step after=({', '.join(unused)}), or take away what nobody uses."
        )
    return unused[0]


class _StepCheck:
    """One step against what those before it give."""

    def __init__(self, pipeline: str, step: StepDefinition, results: Mapping[str, Any]) -> None:
        self._pipeline = pipeline
        self._step = step
        self._results = results
        self._whose = f"Step {step.name!r} of pipeline {pipeline!r}"

    def before(self) -> None:
        """All that it comes after is there already, so that no step waits for itself."""
        if unknown := [name for name in self._step.before if name not in self._results]:
            raise DefinitionError(
                f"{self._whose} comes after {', '.join(map(repr, unknown))}, which is not among the steps declared "
                f"before it: steps in a circle would wait for each other for ever."
            )

    def arguments(self) -> None:
        """Each of them fits its parameter."""
        step, signature = self._step, self._step.task.signature
        given = [(self._told(name), self._results[name]) for name in step.after]
        if step.over is not None:
            given.insert(0, self._item())
        self._match(self._whose, signature, given)

    def stand_in(self) -> None:
        """What stands in for it takes what failed and gives what was missing."""
        step, stand_in = self._step, self._step.compensation
        if stand_in is None:
            return
        given: list[tuple[str, Any]] = [("what it is told first", Failure)]
        if step.over is None:
            given += [(self._told(name), self._results[name]) for name in step.after]
        else:
            given.append((f"an item of {self._told(step.over)}", self._item_type()))
        whose = f"The stand-in {stand_in.function.__name__!r} for step {step.name!r} of pipeline {self._pipeline!r}"
        self._match(whose, stand_in.signature, given)
        missing = self._one_result()
        if not fits(stand_in.signature.result, missing):
            raise DefinitionError(
                f"{whose} gives {named(stand_in.signature.result)}, but what it stands in for is {named(missing)}. "
                f"Let both return the same."
            )

    def result(self) -> Any:
        """What those after it get."""
        return list_of(self._one_result()) if self._step.is_map else self._one_result()

    def _one_result(self) -> Any:
        """What one call gives: of a batch, what it gives for one item."""
        step, result = self._step, self._step.task.signature.result
        if step.batch is not None:
            items = items_of(result)
            if items is None:
                raise DefinitionError(
                    f"{self._whose} is done for batches of {step.batch}, so it gives a list of as many results, but "
                    f"its function gives {named(result)}. Return a list, or leave batch= out."
                )
            return items.of
        return or_none(result) if step.when is not None else result

    def _item(self) -> tuple[str, Any]:
        told, item = self._told(self._step.over or _INPUT), self._item_type()
        if self._step.batch is None:
            return f"an item of {told}", item
        return f"a batch of {told}", list_of(item)

    def _item_type(self) -> Any:
        over = self._step.over or _INPUT
        items = items_of(self._results[over])
        if items is None:
            raise DefinitionError(
                f"{self._whose} is a map over {self._told(over)}, which gives {named(self._results[over])} and no "
                f"list. Let it return a list, or make this one a step after it."
            )
        return items.of

    def _match(self, whose: str, signature: Signature, given: Sequence[tuple[str, Any]]) -> None:
        for parameter, (told, kind) in zip(signature.by_position, given, strict=True):
            wanted = signature.types[parameter]
            if not fits(kind, wanted):
                raise DefinitionError(
                    f"{whose} takes {parameter!r} as {named(wanted)}, but {told} is {named(kind)}. "
                    f"Arguments come in the order of after=; change the order or one of the types."
                )

    def _told(self, name: str) -> str:
        return f"the result of {name!r}" if name else "the run's input"
