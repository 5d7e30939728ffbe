"""The queues of an app's tasks that have many: which there are, whose each is, and how it is wanted."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from goatherd.engine.announcements import announcement_queue
from goatherd.engine.name_source import Listened
from goatherd.listening import Listener
from goatherd.model.contracts import Contracts
from goatherd.model.listener_queues import ListenerQueues, check_listeners_apart, listener_queue
from goatherd.model.settings import Settings
from goatherd.model.task import TaskDefinition
from goatherd.model.topology import Queue

if TYPE_CHECKING:
    from goatherd.app import Goatherd


class ListenerBook:
    """Of one app."""

    def __init__(self, app: Goatherd, contracts: Contracts) -> None:
        self._app = app
        self._contracts = contracts
        #: Found for these settings and so many tasks.
        self._queues: tuple[Settings, int, ListenerQueues] | None = None

    def listened(self) -> list[Listened]:
        """Every task with many queues; raises DefinitionError or SettingsError."""
        return [task.listened for task in self._app.tasks.values() if isinstance(task, Listener)]

    def queues(self) -> ListenerQueues:
        """Their queues; raises DefinitionError where two tasks would take from one."""
        settings, tasks = self._app.settings, len(self._app.tasks)
        if self._queues is None or self._queues[:2] != (settings, tasks):
            self._queues = (settings, tasks, self._found())
        return self._queues[2]

    def find(self, name: str) -> Queue | None:
        """The queue of that name, if it belongs to such a task."""
        if not any(isinstance(task, Listener) for task in self._app.tasks.values()):
            return None
        own = any(task.queue == name for task in self._app.definitions() if not task.has_many_queues)
        return None if own else self.queues().find(name)

    def contract(self, task: TaskDefinition) -> Queue:
        """One queue of such a task, as the app wants the broker to have it."""
        queue = self._contracts.topology.with_exchange(self._contracts.find(task.queue) or listener_queue(task))
        if not self._app.dead_letter_hooks:
            return queue
        return replace(queue, announces_to=announcement_queue(self._app.name).name)

    def needed(self, task: str, queue: str) -> Queue | None:
        """The queue of a job that is about to be sent there; None unless its task has many."""
        known = self._app.tasks.get(task)
        there = known.definition.for_queue(queue) if isinstance(known, Listener) else None
        return None if there is None else self.contract(there)

    async def have(self, queues: Collection[str]) -> None:
        """Make those of some queues that are such a task's and not there any more; raises Unavailable."""
        tasks = [task for queue in queues if self.find(queue) and (task := self.queues().task_on(queue))]
        if tasks:
            ports = self._app.session().ports
            there = {state.name for state in await ports.operations.queues([task.queue for task in tasks])}
            await ports.broker.declare([self.contract(task) for task in tasks if task.queue not in there])

    def _found(self) -> ListenerQueues:
        listened = self.listened()
        ordinary = [task for task in self._app.definitions() if not task.has_many_queues]
        fixed = [task for each in listened for task in each.fixed_tasks]
        asked = [each.task for each in listened if each.source.fixed is None]
        check_listeners_apart(ordinary, asked, fixed, self._contracts.find)
        return ListenerQueues(asked, {task.queue: task for task in fixed})
