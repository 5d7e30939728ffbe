"""Jobs that the broker took back from this process, after a lost connection or too long a wait, and gives to it again.

The process knows better than the broker what became of them: one that still runs goes on and settles what came again,
and one that is done is not done a second time. Only what goes to another process is run twice.
"""

import hashlib
import time

from goatherd.adapters.rabbitmq.handle import Handle
from goatherd.model.message import Delivery, Message

#: Jobs that are remembered as done without the broker knowing; the oldest are forgotten.
MOST_REMEMBERED = 10_000
#: Seconds for which they are: what comes later may be a job of its own that somebody sent under the same id.
REMEMBERED_FOR = 600.0


class Returning:
    """What this process has begun, and what it has done unheard."""

    def __init__(self) -> None:
        self._begun: dict[str, Delivery] = {}
        self._unheard: dict[str, tuple[bytes, float]] = {}

    def begun(self, delivery: Delivery) -> None:
        """A job's code starts."""
        self._begun[delivery.message.id] = delivery

    def over(self, delivery: Delivery) -> None:
        """It is no longer ours to settle."""
        self._begun.pop(delivery.message.id, None)

    def settled_unheard(self, delivery: Delivery) -> None:
        """What became of it is safe, but the broker does not know and will deliver it again."""
        if self._begun.pop(delivery.message.id, None) is None:
            return
        self._unheard[delivery.message.id] = (_fingerprint(delivery.message), time.monotonic())
        if len(self._unheard) > MOST_REMEMBERED:
            del self._unheard[next(iter(self._unheard))]

    def carried_on(self, message: Message, handle: Handle) -> bool:
        """Whether a message that came again needs no run, because of one that goes on here or has ended."""
        if not message.id:
            return False
        if self._is_done(message):
            handle.ack()
            return True
        running = self._begun.get(message.id)
        # Ids are the senders' matter: of two messages with the same id, neither may stand for the other.
        if running is None or running.message.body != message.body:
            return False
        kept = running.tag
        if not isinstance(kept, Handle) or kept.channel.failed is None:
            return False
        kept.follow(handle)
        return True

    def _is_done(self, message: Message) -> bool:
        body, moment = self._unheard.get(message.id, (b"", 0.0))
        if body != _fingerprint(message):
            return False
        del self._unheard[message.id]
        return time.monotonic() - moment < REMEMBERED_FOR


def _fingerprint(message: Message) -> bytes:
    return hashlib.blake2b(message.body, digest_size=16).digest()
