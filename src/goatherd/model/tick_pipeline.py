"""What is done when a schedule fires: a pipeline of one step, so that a tick is done once and holds a lease."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime

from goatherd.errors import DefinitionError
from goatherd.model.formats import FORMATS
from goatherd.model.pipeline import PipelineDefinition, StepDefinition
from goatherd.model.pipeline_check import input_signature
from goatherd.model.run_record import EndedRun
from goatherd.model.schedule import FiringEnd
from goatherd.model.task import TaskDefinition

#: What a run of a tick takes.
NOTHING = b"null"
#: Bytes that a schedule's name may take: it is in the ids of runs, of their steps and of jobs.
LONGEST_NAME = 100


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


def check_schedule_name(name: str) -> None:
    """Raise DefinitionError for a name of which no id can be made."""
    if not name or not name.isprintable() or len(name.encode()) > LONGEST_NAME:
        shown = name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"
        raise DefinitionError(
            f"A schedule has the name {shown!r}; use up to {LONGEST_NAME} bytes of printable text, such as 'archive'."
        )


def firing_id(schedule: str, tick: float) -> str:
    """The id of the run or the job of one tick: `archive@2026-11-16T02:00:00Z`."""
    moment = datetime.fromtimestamp(tick, UTC).isoformat(timespec="microseconds").removesuffix("+00:00")
    return f"{schedule}@{moment.removesuffix('.000000')}Z"


def firing_ends(ended: Iterable[EndedRun]) -> list[FiringEnd]:
    """The ends of those runs that may be of ticks, or of somebody who fired a schedule.

    Any program can tell that, also one whose version does not have the schedule: nobody else is told of these ends.
    """
    return [
        FiringEnd(id=run.id, state=run.state)
        for run in ended
        if run.state != "running" and run.id.startswith((f"{run.pipeline}@", f"{run.pipeline}!"))
    ]
