"""The queues that one app has described, and what it takes for granted of the others."""

from collections.abc import Callable, Iterable

from goatherd.errors import DefinitionError
from goatherd.model.app_topology import Topology
from goatherd.model.topology import Queue


class Contracts:
    """Filled while the program's modules are imported, read afterwards."""

    def __init__(self, app: str) -> None:
        self._app = app
        self._described: dict[str, Queue] = {}
        #: What no queue says: the exchanges.
        self.topology = Topology()

    def add(self, queue: Queue) -> None:
        """Describe one more; raises DefinitionError if that was done before."""
        if queue.name in self._described:
            raise DefinitionError(
                f"The queue {queue.name!r} is described twice in the app {self._app!r}; describe it once."
            )
        self._described[queue.name] = queue

    def own(self, queue: Queue) -> Queue:
        """The queue, if it was described here; raises DefinitionError."""
        if self._described.get(queue.name) is not queue:
            raise DefinitionError(
                f"The queue {queue.name!r} was described by another app, so the app {self._app!r} does not know its "
                f"contract; describe it here too, with app.queue(...)."
            )
        return queue

    def find(self, name: str) -> Queue | None:
        """The queue as it was described; one on which a service answers need not be described a second time."""
        if name in self._described:
            return self._described[name]
        for queue in self._described.values():
            if queue.answers is not None and queue.answers.queue == name:
                return Queue(name=name, contract=True, format="plain", type=queue.type, prefetch=queue.prefetch)
        return None

    def with_those_of(
        self, tasks: Iterable[str], find: Callable[[str], Queue | None] = lambda name: None
    ) -> list[Queue]:
        """Every described queue, those on which services answer, and those of the app's tasks.

        `find` knows of some that are not described.
        """
        answered = [queue.answers.queue for queue in self._described.values() if queue.answers is not None]
        names = dict.fromkeys((*self._described, *answered, *tasks))
        return [self.topology.with_exchange(self.find(name) or find(name) or Queue(name=name)) for name in names]
