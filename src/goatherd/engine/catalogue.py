"""Which task a job is for."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping

from goatherd.errors import DefinitionError
from goatherd.model.formats import FORMATS, Format, Work
from goatherd.model.listener_queues import ListenerQueues
from goatherd.model.task import TaskDefinition
from goatherd.model.topology import Queue

#: Queues to which nobody listens any more, and of which jobs may still be here.
FORMER = 10_000


class Catalogue:
    """The tasks that a worker can do, by name and, where messages carry no name, by queue."""

    def __init__(self, tasks: Iterable[TaskDefinition], queues: Mapping[str, Queue]) -> None:
        self._formats: dict[str, Format] = {name: FORMATS[queue.format] for name, queue in queues.items()}
        self._by_name: dict[str, TaskDefinition] = {}
        self._by_queue: dict[str, TaskDefinition] = {}
        #: Tasks as they are done on queues that are listened to, and on those that were.
        self._listened: dict[str, TaskDefinition] = {}
        self._former: OrderedDict[str, TaskDefinition] = OrderedDict()
        for task in tasks:
            self._by_name[task.name] = task
            if task.format.name == "plain" and not task.has_many_queues:
                other = self._by_queue.setdefault(task.queue, task)
                if other is not task:
                    raise DefinitionError(
                        f"Tasks {other.name!r} and {task.name!r} share the plain queue {task.queue!r}, but a plain "
                        f"message does not say which task it is for. Give each a queue of its own."
                    )
        self._patterns = ListenerQueues((task for task in self._by_name.values() if task.has_many_queues), {})

    @property
    def queues(self) -> frozenset[str]:
        """Every queue that some task here is on, but for those of tasks that have many."""
        return frozenset(task.queue for task in self._by_name.values() if not task.has_many_queues)

    @property
    def has_lanes(self) -> bool:
        """Whether some task here is done in order."""
        return any(task.lane is not None for task in self._by_name.values())

    def named(self, name: str) -> TaskDefinition | None:
        """The task of that name, if it is here."""
        return self._by_name.get(name)

    def listen(self, task: TaskDefinition) -> None:
        """One more queue of a task that has many is taken from."""
        self._listened[task.queue] = task
        self._former.pop(task.queue, None)

    def forget(self, queue: str) -> None:
        """It is taken from no more; jobs that came from it before are still done."""
        task = self._listened.pop(queue, None)
        if task is not None:
            self._former[queue] = task
            if len(self._former) > FORMER:
                self._former.popitem(last=False)

    def format_of(self, queue: str) -> Format:
        """How messages on a queue look."""
        known = self._formats.get(queue)
        if known is None:
            task = self._on(queue)
            known = FORMATS["native"] if task is None else task.format
        return known

    def find(self, queue: str, work: Work) -> TaskDefinition | None:
        """The task for a job, or None if this worker does not have it."""
        if work.task is None:
            return self._by_queue.get(queue) or self._on(queue)
        task = self._by_name.get(work.task)
        if task is None or task.family is None:
            return task
        there = self._on(queue)
        return there if there is not None and there.name == task.name else task.for_queue(queue)

    def names(self) -> str:
        """For messages to people."""
        return ", ".join(sorted(self._by_name)) or "none"

    def _on(self, queue: str) -> TaskDefinition | None:
        return self._listened.get(queue) or self._former.get(queue) or self._patterns.task_on(queue)
