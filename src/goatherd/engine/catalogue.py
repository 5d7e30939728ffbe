"""Which task a job is for."""

from collections.abc import Iterable, Mapping

from goatherd.errors import DefinitionError
from goatherd.model.formats import FORMATS, Format, Work
from goatherd.model.task import TaskDefinition
from goatherd.model.topology import Queue


class Catalogue:
    """The tasks that a worker can do, by name and, where messages carry no name, by queue."""

    def __init__(self, tasks: Iterable[TaskDefinition], queues: Mapping[str, Queue]) -> None:
        self._formats: dict[str, Format] = {name: FORMATS[queue.format] for name, queue in queues.items()}
        self._by_name: dict[str, TaskDefinition] = {}
        self._by_queue: dict[str, TaskDefinition] = {}
        for task in tasks:
            self._by_name[task.name] = task
            if task.format.name == "plain":
                other = self._by_queue.setdefault(task.queue, task)
                if other is not task:
                    raise DefinitionError(
                        f"Tasks {other.name!r} and {task.name!r} share the plain queue {task.queue!r}, but a plain "
                        f"message does not say which task it is for. Give each a queue of its own."
                    )

    @property
    def queues(self) -> frozenset[str]:
        """Every queue that some task here is on."""
        return frozenset(task.queue for task in self._by_name.values())

    @property
    def has_lanes(self) -> bool:
        """Whether some task here is done in order."""
        return any(task.lane is not None for task in self._by_name.values())

    def format_of(self, queue: str) -> Format:
        """How messages on a queue look."""
        return self._formats.get(queue, FORMATS["native"])

    def find(self, queue: str, work: Work) -> TaskDefinition | None:
        """The task for a job, or None if this worker does not have it."""
        return self._by_queue.get(queue) if work.task is None else self._by_name.get(work.task)

    def names(self) -> str:
        """For messages to people."""
        return ", ".join(sorted(self._by_name)) or "none"
