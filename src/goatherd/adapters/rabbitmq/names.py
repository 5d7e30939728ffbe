"""The names of what we make on a broker.

They carry the app's name and a version, so that two layouts can live side by side.
"""

from typing import NamedTuple

from goatherd.model.stand_in import original_of
from goatherd.model.topology import Queue

_WORK = ".work.v1"
_REPLY = ".reply.v1."


def way_in_words(exchange: str, routing_key: str) -> str:
    """Where a message was to go, as people know it: most by the name of the queue alone."""
    return routing_key if not exchange or exchange.endswith(_WORK) else f"{exchange}/{routing_key}"


def is_one_process_own(queue: str) -> bool:
    """Whether a queue was made by one process for what it alone gets, as answers."""
    return queue.startswith("amq.") or _REPLY in queue


class Names(NamedTuple):
    """For one app."""

    app: str

    @property
    def work_exchange(self) -> str:
        """Where the jobs for queues of the app's own go, with the queue's name as routing key.

        From the default exchange no queue can be unbound, which is what lets one be replaced without a loss.
        """
        return f"{self.app}{_WORK}"

    def way_to(self, queue: Queue) -> tuple[str, str]:
        """Exchange and routing key by which jobs come to a queue: a contract's own, ours, or the default exchange."""
        if queue.exchange:
            return queue.exchange, queue.routing_key or queue.name
        # Others publish to a contract, too, and one more binding for each of thousands would cost more than it gives.
        is_ours = not (queue.contract or queue.passive or queue.one_of_many)
        return self.work_exchange if is_ours else "", queue.name

    @property
    def dead_exchange(self) -> str:
        """Where dead letters go, from us and from the broker."""
        return f"{self.app}.dead.v1"

    def grave_of(self, queue: Queue | None) -> tuple[str, str] | None:
        """Exchange and routing key of a contract's own dead letters, if they are not ours anyway."""
        if queue is None or not queue.contract or queue.dead_letter is None:
            return None
        # Nothing can be led from the nameless exchange to our own.
        return None if queue.dead_letter[0] in ("", self.dead_exchange) else queue.dead_letter

    @property
    def dead_queue(self) -> str:
        """Where they stay."""
        return f"{self.app}.dead.v1"

    @property
    def hold_exchange(self) -> str:
        """Where delayed messages go, with the routing key `<milliseconds>.<queue>`."""
        return f"{self.app}.hold.v1"

    @property
    def due_exchange(self) -> str:
        """Where they come out when they are due; every queue is bound here as `*.<queue>`."""
        return f"{self.app}.due.v1"

    @property
    def exchanges(self) -> tuple[str, ...]:
        """All that every app has."""
        return self.work_exchange, self.dead_exchange, self.hold_exchange, self.due_exchange

    def reply_queue(self, process: str) -> str:
        """Where one process gets answers."""
        return f"{self.app}{_REPLY}{process}"

    def hold_queue(self, milliseconds: int) -> str:
        """Where they wait for so long."""
        return f"{self.app}.hold.v1.{milliseconds}"

    def wait_of(self, queue: str) -> int | None:
        """How long they wait in a queue, or in one that stands in for it; None if it is none for that."""
        before, told = f"{self.app}.hold.v1.", original_of(queue)
        wait = told.removeprefix(before)
        return int(wait) if told.startswith(before) and wait.isdecimal() and wait.isascii() else None
