"""The queues of tasks that have many: which task a queue belongs to, and how it is wanted."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from goatherd.errors import DefinitionError
from goatherd.model.task import TaskDefinition
from goatherd.model.topology import Queue


def listener_queue(task: TaskDefinition) -> Queue:
    """One queue of such a task: other programs may use it, too, so nothing is added to it."""
    return Queue(name=task.queue, contract=True, type="classic", format=task.format.name, one_of_many=True)


class ListenerQueues:
    """Of one app. Names that are known beforehand go before patterns, and of these the one that says most."""

    def __init__(self, patterns: Iterable[TaskDefinition], fixed: Mapping[str, TaskDefinition]) -> None:
        """`fixed` are tasks as they are done on queues that are known beforehand."""
        self._patterns = sorted(patterns, key=_how_much_it_says, reverse=True)
        self.fixed = fixed

    def task_on(self, queue: str) -> TaskDefinition | None:
        """The task whose queue it is, as it is done there; None if it is nobody's."""
        if queue in self.fixed:
            return self.fixed[queue]
        return next((there for task in self._patterns if (there := task.for_queue(queue)) is not None), None)

    def fixed_queue(self, queue: str) -> Queue | None:
        """The same for one that is known beforehand, as it is wanted."""
        task = self.fixed.get(queue)
        return None if task is None else replace(listener_queue(task), one_of_many=False)

    def find(self, queue: str) -> Queue | None:
        """The queue as it is wanted; None if it belongs to no such task."""
        task = self.task_on(queue)
        return None if task is None else listener_queue(task)


def check_listeners_apart(
    ordinary: Iterable[TaskDefinition],
    asked: Iterable[TaskDefinition],
    fixed: Iterable[TaskDefinition],
    described: Callable[[str], Queue | None],
) -> None:
    """Raise DefinitionError where two tasks would take from one queue, as far as that is known beforehand."""
    taken = {task.queue: task.name for task in ordinary}
    for task in fixed:
        _take(taken, task)
        contract = described(task.queue)
        if contract is not None and contract.format != task.format.name:
            raise DefinitionError(
                f"The queue {task.queue!r} is described with format={contract.format!r}, but task {task.name!r} "
                f"listens to it with format={task.format.name!r}. Say the same in both places."
            )
    patterns: dict[str, str] = {}
    for task in asked:
        _take(patterns, task)


def _take(taken: dict[str, str], task: TaskDefinition) -> None:
    other = taken.setdefault(task.queue, task.name)
    if other != task.name:
        raise DefinitionError(
            f"Tasks {other!r} and {task.name!r} both take from {task.queue!r}, but the queue of a listener belongs to "
            f"one task alone. Give one of them another queue."
        )


def _how_much_it_says(task: TaskDefinition) -> int:
    return 0 if task.family is None else task.family.pattern.literal
