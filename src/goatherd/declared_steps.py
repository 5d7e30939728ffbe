"""The steps of one pipeline as they are declared, and the checked definition that comes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from goatherd.errors import DefinitionError
from goatherd.model.pipeline import PipelineDefinition
from goatherd.model.pipeline_check import check_pipeline, input_signature
from goatherd.ports.steps import INPUT
from goatherd.step import FunctionStep, Step

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.settings import Settings


class DeclaredSteps:
    """Filled while the program's modules are imported, read afterwards."""

    def __init__(self, app: Goatherd, pipeline: str, takes: Any, gives: Any) -> None:
        self.app = app
        self.pipeline = pipeline
        self._takes = takes
        self._gives = gives
        self._steps: dict[str, FunctionStep[Any]] = {}
        self._definition: tuple[Settings, PipelineDefinition] | None = None
        self.input: Step[Any] = Step(pipeline, INPUT)

    def add(self, step: FunctionStep[Any]) -> None:
        """Declare one more; raises DefinitionError if its name is taken."""
        if step.name in self._steps:
            raise DefinitionError(
                f"The pipeline {self.pipeline!r} has two steps named {step.name!r}; give one of them another name=."
            )
        self._steps[step.name] = step
        self.changed()

    def changed(self) -> None:
        """Something was declared after all."""
        self._definition = None

    def has(self, step: Step[Any]) -> bool:
        """Whether it is one of these, or the pipeline's input."""
        return step is self.input or self._steps.get(step.name) is step

    def names_of(self, steps: Any, said: str) -> tuple[str, ...]:
        """What `after=` or `over=` names; raises DefinitionError for what is no step of this pipeline."""
        given = steps if isinstance(steps, tuple | list) else (steps,)
        return tuple(self._name_of(step, said) for step in given)

    def _name_of(self, step: Any, said: str) -> str:
        if not isinstance(step, Step):
            raise DefinitionError(
                f"{said} takes steps of the pipeline {self.pipeline!r}, which are what its decorators return and "
                f"its `input`, but it got {step!r}."
            )
        if not self.has(step):
            raise DefinitionError(
                f"{said} names {step!r}, which belongs to another pipeline than {self.pipeline!r}. A run has the "
                f"results of its own steps only: declare the step on this pipeline, too, or hand the value over as "
                f"the input of the other pipeline's run."
            )
        return step.name

    @property
    def definition(self) -> PipelineDefinition:
        """The pipeline with every default filled in, checked; raises DefinitionError or SettingsError."""
        settings = self.app.settings
        # Tests put other settings into the app's place, so what was filled in holds for those that it came from.
        if self._definition is None or self._definition[0] is not settings:
            self._definition = (settings, self._define())
        return self._definition[1]

    def _define(self) -> PipelineDefinition:
        takes = input_signature(self.pipeline, self._takes, self._gives)
        return check_pipeline(self.pipeline, [step.planned for step in self._steps.values()], takes)
