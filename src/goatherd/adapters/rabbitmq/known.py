"""Which queues a process knows, and how it wants them: those of its app, and some of those that come and go."""

from collections import Counter
from collections.abc import Collection, Sequence

from goatherd.model.topology import Queue

#: Queues of those that come and go of which is known how they are wanted; more only if they are listened to.
MOST_OF_MANY = 10_000


class KnownQueues:
    """Of one app in one process."""

    def __init__(self) -> None:
        #: Those that are always there.
        self.lasting: dict[str, Queue] = {}
        #: Those that come and go by the thousand, and which need nothing that the broker does not do by itself.
        self._passing: dict[str, Queue] = {}
        #: Those that are told of every dead letter.
        self.announcements: set[str] = set()
        #: How many listeners of this process look after a queue.
        self._listened: Counter[str] = Counter()

    @property
    def listened(self) -> Collection[str]:
        """Queues that have a listener in this process, which looks after them."""
        return self._listened.keys()

    def has_any(self, queues: Sequence[Queue]) -> bool:
        """Whether one of them was known before."""
        return any(queue.name in self.lasting or queue.name in self._passing for queue in queues)

    def find(self, queue: str) -> Queue | None:
        """The queue as it is wanted; None if nobody said."""
        return self._passing.get(queue) or self.lasting.get(queue)

    def add(self, queues: Sequence[Queue]) -> None:
        """They are wanted so."""
        self.announcements |= {queue.announces_to for queue in queues if queue.announces_to is not None}
        self.lasting |= {queue.name: queue for queue in queues if not queue.one_of_many}
        self._passing |= {queue.name: queue for queue in queues if queue.one_of_many}
        if len(self._passing) > MOST_OF_MANY:
            # Those that are only sent to are declared again when that is needed.
            wanted = {*self._listened, *(queue.name for queue in queues)}
            self._passing = {name: queue for name, queue in self._passing.items() if name in wanted}

    def listen(self, queue: str) -> None:
        """A listener looks after it from now on."""
        self._listened[queue] += 1

    def forget(self, queue: str) -> None:
        """A listener has ended; with the last one nothing is remembered of a queue that comes and goes."""
        self._listened[queue] -= 1
        if self._listened[queue] <= 0:
            del self._listened[queue]
            self._passing.pop(queue, None)
