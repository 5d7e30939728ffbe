"""The names of what we make on a broker.

They carry the app's name and a version, so that two layouts can live side by side.
"""

from typing import NamedTuple

from goatherd.model.stand_in import pause_mark_of
from goatherd.model.topology import Queue


class Names(NamedTuple):
    """For one app."""

    app: str

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

    def reply_queue(self, process: str) -> str:
        """Where one process gets answers."""
        return f"{self.app}.reply.v1.{process}"

    def pause_mark(self, queue: str) -> str:
        """The empty queue that says that another one is paused."""
        return pause_mark_of(queue)

    def hold_queue(self, milliseconds: int) -> str:
        """Where they wait for so long."""
        return f"{self.app}.hold.v1.{milliseconds}"
