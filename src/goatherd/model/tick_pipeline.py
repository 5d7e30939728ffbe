"""What is done when a schedule fires: a pipeline of one step, so that a tick is done once and holds a lease."""

from dataclasses import replace
from datetime import UTC, datetime

from goatherd.errors import DefinitionError
from goatherd.model.formats import FORMATS
from goatherd.model.pipeline import PipelineDefinition, StepDefinition
from goatherd.model.pipeline_check import input_signature
from goatherd.model.task import TaskDefinition

#: What a run of a tick takes.
NOTHING = b"null"


def tick_pipeline(task: TaskDefinition) -> PipelineDefinition:
    """The pipeline of a scheduled task, of that task's name; raises DefinitionError."""
    if task.format is not FORMATS["native"] or task.answers is not None:
        raise DefinitionError(
            f"The scheduled task {task.name!r} is on queue {task.queue!r}, which is described with another format than "
            f"'native' or with answers_on=. What fires is in the native format: give the task a queue of its own."
        )
    # Other programs may send the task by its own name, which must not be the step's.
    step = f"{task.name}@tick"
    done = StepDefinition(name=step, task=replace(task, signature=task.signature.first(0)))
    takes = input_signature(task.name, None, task.signature.result)
    return PipelineDefinition(name=task.name, steps={step: done}, last=step, takes=takes, gives=task.signature.result)


def firing_id(schedule: str, tick: float) -> str:
    """The id of the run or the job of one tick: `archive@2026-11-16T02:00:00Z`."""
    moment = datetime.fromtimestamp(tick, UTC).isoformat(timespec="microseconds").removesuffix("+00:00")
    return f"{schedule}@{moment.removesuffix('.000000')}Z"
