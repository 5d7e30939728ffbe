"""Word to the workers of a queue that the caller of a job has given up.

It goes through an exchange that every broker has, so nothing need be declared for it but the listener's own queue.
"""

import logging
from collections.abc import Callable, Sequence

from pamqp import commands

from goatherd.adapters.rabbitmq.care import Care
from goatherd.adapters.rabbitmq.channel import Channel
from goatherd.adapters.rabbitmq.handle import Handle
from goatherd.adapters.rabbitmq.hosting import Hosting
from goatherd.adapters.rabbitmq.parcels import HINTS, Outgoing
from goatherd.adapters.rabbitmq.properties import Properties, write
from goatherd.adapters.rabbitmq.publisher import Publisher
from goatherd.adapters.rabbitmq.subscription import Subscription
from goatherd.errors import Unavailable
from goatherd.model.message import Delivery

#: How the broker says that its user may not do something.
FORBIDDEN = "ACCESS_REFUSED"
#: Word that may be on its way at once.
PREFETCH = 100

log = logging.getLogger("goatherd.rabbitmq")

_PROPERTIES = write(Properties(content_type="text/plain", transient=True))


def routing_key(queue: str) -> str:
    """For those who take from a queue."""
    return f"goatherd.call-off.{queue}"


def _word(queue: str, job_id: str) -> Outgoing:
    return Outgoing(job_id, HINTS, routing_key(queue), _PROPERTIES, job_id.encode())


class Herald:
    """Sends the word as long as the broker lets it; satisfies `Receipt`, though nobody need hear it."""

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher
        self._silenced = False

    def call_off(self, queue: str, job_id: str) -> None:
        """Tell the workers of a queue."""
        if not self._silenced:
            self._publisher.post(_word(queue, job_id), self)

    def taken(self) -> None:
        """Nothing is to be done."""

    def failed(self, error: Unavailable) -> None:
        """What is forbidden costs the channel each time, so it is not tried again."""
        self._silenced = FORBIDDEN in str(error)
        log.info("Calls that are given up are done all the same: %s", error)


class CallOffs(Subscription):
    """Listens for the word on a queue of this process's own, which goes with its consumer."""

    restartable = False

    def __init__(self, hosting: Hosting, queues: Sequence[str], called_off: Callable[[str], None]) -> None:
        self._queues = queues
        self._called_off = called_off
        super().__init__(hosting, "", PREFETCH, self._heard, Care.of_own_queue(self._make))

    async def _make(self, channel: Channel) -> str:
        answer = await channel.ask(commands.Queue.Declare(0, "", exclusive=True, auto_delete=True))
        name = str(getattr(answer, "queue", ""))
        for queue in self._queues:
            await channel.ask(commands.Queue.Bind(0, name, HINTS, routing_key(queue)))
        return name

    def _ended(self, why: str, *, guilty: bool = False) -> None:
        if FORBIDDEN not in why:
            super()._ended(why, guilty=guilty)
            return
        self.abandon()
        log.info("Calls that are given up while they run go on: the broker's user may not listen for that (%s)", why)

    def _heard(self, deliveries: Sequence[Delivery]) -> None:
        for delivery in deliveries:
            handle = delivery.tag
            assert isinstance(handle, Handle)
            handle.ack()
            self._called_off(delivery.message.body.decode("utf-8", "replace"))
