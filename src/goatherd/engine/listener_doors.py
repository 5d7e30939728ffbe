"""Queues of tasks that have many are made when the first job is sent there."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from goatherd.errors import Unavailable
from goatherd.model.message import Message
from goatherd.model.topology import Queue
from goatherd.ports.broker import Broker, NoQueue

#: The queue for a job by its task and its queue's name; None for one that is made at the start, as most are.
Needed: TypeAlias = Callable[[str, str], Queue | None]

#: Queues of which a process remembers that they are there.
MOST_KNOWN = 100_000


class ListenerDoors:
    """Of one app in one process."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._tasks: frozenset[str] = frozenset()
        self._needed: Needed = lambda task, queue: None
        #: Queues that are there, as far as we know.
        self._there: set[str] = set()

    def know(self, tasks: Iterable[str], needed: Needed) -> None:
        """These tasks have many queues."""
        self._tasks, self._needed = frozenset(tasks), needed

    async def open(self, messages: Sequence[Message]) -> None:
        """Have the queues of these jobs; raises TopologyMismatch and Unavailable."""
        if not self._tasks:
            return
        missing = {
            message.queue: message.task
            for message in messages
            if message.task in self._tasks and message.queue not in self._there
        }
        if missing:
            wanted = (self._needed(task, queue) for queue, task in missing.items())
            await self._broker.declare([queue for queue in wanted if queue is not None])
            if len(self._there) > MOST_KNOWN:
                self._there.clear()
            self._there.update(missing)

    async def publish(self, messages: Sequence[Message]) -> None:
        """Send jobs to queues that are made if they are missing; raises the same."""
        await self.open(messages)
        try:
            await self._broker.publish(messages)
        except NoQueue as error:
            await self._publish_again(messages, error)
        except Unavailable:
            self.closed(messages)
            raise

    async def _publish_again(self, messages: Sequence[Message], error: NoQueue) -> None:
        """One of the queues was deleted since it was made: make it again, once, and send what was not taken."""
        self.closed(messages)
        left = [message for message in messages if message.id in error.jobs]
        if not any(message.task in self._tasks for message in left):
            raise error
        await self.open(left)
        try:
            await self._broker.publish(left)
        except Unavailable:
            self.closed(left)
            raise

    def closed(self, messages: Iterable[Message]) -> None:
        """These were not taken, so it is not known any more which queues are there."""
        if self._tasks:
            self._there.difference_update(message.queue for message in messages)
