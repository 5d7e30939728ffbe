"""A pipeline as it is done: its steps, what each comes after, and what becomes of those that fail."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

from goatherd.model.run_record import Onward, PlannedStep
from goatherd.model.task import TaskDefinition

OnFailure: TypeAlias = Literal["fail", "skip"]


@dataclass(frozen=True, kw_only=True)
class StepDefinition:
    """One step. Its arguments are, in order, an item or a batch of them (`over`), then the results of `after`."""

    #: As messages carry it.
    name: str
    #: How its code is run; the task's name is that of the pipeline and the step: `dub.asr`.
    task: TaskDefinition
    #: Whose results are its arguments, the run's input (`ports.steps.INPUT`) among them; not `over`.
    after: tuple[str, ...] = ()
    #: The step whose list it is done for item by item; None if it is done as a whole. The input may be a list, too.
    over: str | None = None
    #: Items for one call, which then takes and gives lists; None means one item, which is not in a list.
    batch: int | None = None
    #: Parcels of one run that may be worked on at a time; None means all. Only with `over`.
    at_once: int | None = None
    #: Whether it is done at all, asked with its arguments.
    when: Callable[..., bool] | None = None
    on_failure: OnFailure = "fail"
    #: What stands in for it when it failed for good: arguments are the `Failure`, then the item or its own arguments.
    compensation: TaskDefinition | None = None
    #: Whether a program of somebody else takes its messages.
    remote: bool = False

    @property
    def is_map(self) -> bool:
        """Whether it is done item by item."""
        return self.over is not None

    @cached_property
    def before(self) -> tuple[str, ...]:
        """The steps that must be done first, each once; the run's input is none of them."""
        named = (*self.after, *(() if self.over is None else (self.over,)))
        return tuple(dict.fromkeys(name for name in named if name))


@dataclass(frozen=True, kw_only=True)
class PipelineDefinition:
    """All steps in an order in which they may be done, checked to fit each other."""

    name: str
    steps: Mapping[str, StepDefinition]
    #: The one that nothing comes after: its result is the run's.
    last: str
    #: Reads and checks the input: a signature of one parameter.
    takes: Any
    gives: Any

    @cached_property
    def followers(self) -> Mapping[str, tuple[str, ...]]:
        """The steps that wait for each step."""
        return {name: tuple(s.name for s in self.steps.values() if name in s.before) for name in self.steps}

    @cached_property
    def tasks(self) -> Sequence[TaskDefinition]:
        """All that is run for it: its steps, and what stands in for them."""
        steps = self.steps.values()
        return [step.task for step in steps] + [step.compensation for step in steps if step.compensation is not None]

    def onward(self, step: str) -> Onward:
        """What follows a step."""
        return Onward(then=self.followers[step], last=step == self.last)

    @cached_property
    def plan(self) -> Sequence[PlannedStep]:
        """Its steps as the records want to know them."""
        return [PlannedStep(name=step.name, after=step.before) for step in self.steps.values()]

    def from_here(self, step: str) -> Sequence[PlannedStep]:
        """A step and all that come after it."""
        reached = {step}
        for planned in self.plan:
            if reached.intersection(planned.after):
                reached.add(planned.name)
        return [planned for planned in self.plan if planned.name in reached]
