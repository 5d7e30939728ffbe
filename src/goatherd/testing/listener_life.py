"""Listeners in a test: every queue of such a task to which something was sent is taken from; no source is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goatherd.engine.worker import Worker
from goatherd.model.task import TaskDefinition
from goatherd.ports.broker import Broker, Subscription

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.testing.records import Records

#: Jobs that are held from each.
HELD = 4


class ListenerLife:
    """Of one life of the worker."""

    def __init__(self, app: Goatherd, records: Records, broker: Broker) -> None:
        self._app = app
        self._records = records
        self._broker = broker
        self._listening: dict[str, Subscription] = {}

    @property
    def queues(self) -> frozenset[str]:
        """Those that are taken from."""
        return frozenset(self._listening)

    async def find_more(self, worker: Worker) -> bool:
        """Take from queues to which something was sent since; true if there are any."""
        # Not from whatever queue fits: a pattern may fit those of other programs, too, and those of the test.
        taken = worker.catalogue.queues | self._listening.keys()
        new = [there for queue in self._records.listened if queue not in taken and (there := self._at(queue, worker))]
        for there in new:
            worker.catalogue.listen(there)
            self._listening[there.queue] = await self._broker.consume(there.queue, HELD, worker.take_in, shared=True)
        return bool(new)

    def _at(self, queue: str, worker: Worker) -> TaskDefinition | None:
        """The task as it is done on that queue; None if nobody listens there."""
        # A fixed collection is part of the program, so a name that is not in it is heard by nobody.
        known = self._app.listener_book.queues().task_on(queue)
        # The worker knows of fakes.
        here = None if known is None else worker.catalogue.named(known.name)
        return None if here is None else here.for_queue(queue)

    async def stop(self) -> None:
        """Take no more."""
        listening, self._listening = self._listening, {}
        for each in listening.values():
            await each.stop()
