"""All steps of an app's pipelines, found by what a message says."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from goatherd.model.pipeline import PipelineDefinition, StepDefinition
from goatherd.model.run_record import Onward, Phase
from goatherd.model.step_wire import StepNote
from goatherd.model.task import TaskDefinition
from goatherd.model.topology import Queue


@dataclass(frozen=True)
class Place:
    """A step in its pipeline."""

    pipeline: PipelineDefinition
    step: StepDefinition

    @property
    def onward(self) -> Onward:
        """What follows it."""
        return self.pipeline.onward(self.step.name)

    def task_in(self, phase: Phase) -> TaskDefinition:
        """What is run: the step itself, or what stands in for it."""
        compensation = self.step.compensation
        return self.step.task if phase == "do" or compensation is None else compensation


def answers_of(app: str) -> str:
    """The queue on which foreign workers answer an app."""
    return f"{app}.step-answers"


class StepBook:
    """Made once for a process."""

    def __init__(self, pipelines: Iterable[PipelineDefinition], described: Collection[str], answers: str) -> None:
        self.pipelines: Mapping[str, PipelineDefinition] = {each.name: each for each in pipelines}
        #: Queues that other programs may read, so that messages there carry arguments.
        self.described = frozenset(described)
        #: Where foreign workers answer.
        self.answers = answers
        self._places = {
            (pipeline.name, step.name): Place(pipeline, step)
            for pipeline in self.pipelines.values()
            for step in pipeline.steps.values()
        }
        self._on_queue: dict[tuple[str, str], Place] = {}
        for place in self._places.values():
            for phase in ("do", "compensate"):
                self._on_queue.setdefault((place.task_in(phase).queue, place.step.name), place)
        #: Queues whose messages may be of steps.
        self.queues = frozenset(queue for queue, _ in self._on_queue)

    @property
    def remote(self) -> list[Place]:
        """Steps that are done by others."""
        return [place for place in self._places.values() if place.step.remote]

    @property
    def answer_queues(self) -> list[Queue]:
        """Where foreign workers answer, if there are any."""
        return [Queue(name=self.answers, open_to_others=True)] if self.remote else []

    def find(self, pipeline: str, step: str) -> Place | None:
        """A step by its names."""
        return self._places.get((pipeline, step))

    def meant(self, note: StepNote, queue: str) -> Place | None:
        """The step that a message on a queue is about."""
        if note.pipeline:
            return self._places.get((note.pipeline, note.step))
        return self._on_queue.get((queue, note.step))

    def concerns(self, queues: Collection[str]) -> bool:
        """Whether a worker on these queues has to do with pipelines: with all of them that nobody here does."""
        own = {task.queue for task in self.tasks()}
        return not own.isdisjoint(queues) if own else bool(self._places)

    def tasks(self) -> list[TaskDefinition]:
        """All that workers of this app may run."""
        own = [place.step for place in self._places.values()]
        steps = [step.task for step in own if not step.remote]
        return steps + [step.compensation for step in own if step.compensation is not None]
