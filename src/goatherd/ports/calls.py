"""The way of a call: a request to a queue, and its answer to the process that waits for it."""

from collections.abc import Callable, Sequence
from typing import Protocol

from goatherd.errors import Unavailable
from goatherd.model.message import Message
from goatherd.ports.broker import Deliver, Subscription


class Receipt(Protocol):
    """Whoever wants to know what became of a message that was posted; told on the event loop, once."""

    def taken(self) -> None:
        """The broker has it."""

    def failed(self, error: Unavailable) -> None:
        """The broker does not have it, or nobody knows."""


class Replies(Subscription, Protocol):
    """The queue on which this process gets answers."""

    @property
    def queue(self) -> str:
        """Its name at the moment; empty while there is none, because the broker names it and is away."""

    async def named(self) -> str:
        """Its name, as soon as it has one."""


class Courier(Protocol):
    """Carries requests and answers; the broker's adapter satisfies it too. Used from one event loop."""

    def post(self, message: Message, receipt: Receipt) -> None:
        """Send a request to a queue, or an answer to a `reply_to`, at once.

        It survives lost connections and the death of processes, but need not survive a power cut, which also ends who
        waits. The receipt is told when the queue is not there, and when it cannot be known in time what became of it.
        A request that has expired when a worker takes it is delivered all the same: the worker drops it.
        """

    def call_off(self, queue: str, job_id: str) -> None:
        """The caller has given up: let no worker start the request, and let the one that runs it stop.

        As well as can be: a request that is done all the same does no harm but to the time that it takes. Of one that
        the broker does not have, all who take from that queue are told, for it may be in a lane.
        """

    async def hear_call_offs(self, queues: Sequence[str], called_off: Callable[[str], None]) -> Subscription:
        """Be told of requests to these queues whose callers have given up; on the event loop, by job id."""

    async def listen_for_replies(self, deliver: Deliver, *, exclusive: bool) -> Replies:
        """Take answers from a queue of this process's own, which is gone some minutes after the process.

        Exclusive, where the broker knows it: a queue that it names itself and that is gone with the connection, and
        with it the answers that were on their way.
        """
