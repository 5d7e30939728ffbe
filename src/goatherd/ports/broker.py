"""The execution path: one job to one worker, at least once."""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, Protocol, TypeAlias

from goatherd.errors import Unavailable
from goatherd.model.dead_letter import Burial
from goatherd.model.listener import Standing
from goatherd.model.message import Delivery, Message
from goatherd.model.topology import HoldLimit, Queue, QueueState

#: Called on the event loop with one or more deliveries, oldest first. Must not block and must not raise.
Deliver: TypeAlias = Callable[[Sequence[Delivery]], None]
LinkState: TypeAlias = Literal["up", "connecting", "blocked", "down"]


class NoQueue(Unavailable):
    """Not accepted, because there is no such queue: it was never made, or somebody has deleted it."""


class Subscription(Protocol):
    """A running consumer of one queue."""

    async def stop(self) -> None:
        """Take nothing more; when it returns, `deliver` is not called again. Idempotent.

        What was delivered and is not settled yet stays with the caller.
        """


class Consumption(Subscription, Protocol):
    """A running consumer of one queue that comes back by itself, whatever the store does to it."""

    @property
    def standing(self) -> Standing:
        """How it stands, as far as the store has confirmed that."""

    async def restart(self) -> None:
        """Consume anew, if that is not what it does; what was delivered is not touched."""


class Holder(Protocol):
    """Knows of deliveries whether they are still ours, and hears when their code runs."""

    def is_lost(self, delivery: Delivery) -> bool:
        """Whether it is no longer ours, because the store was away or took it back: it must not be started then."""

    def begin(self, delivery: Delivery) -> None:
        """The user's code starts now: if this process dies before `end`, the next delivery has one death more."""

    def end(self, delivery: Delivery) -> None:
        """The user's code has ended, well or not."""

    async def hand_back(self, deliveries: Sequence[Delivery]) -> None:
        """Let others have them now, as if they had never been delivered."""


class Source(Holder, Protocol):
    """Where deliveries come from, and where it is told what became of them.

    A delivery is settled exactly once, by `ack`, `hand_back`, `replace` or `bury`; one that is not settled when its
    process dies is delivered again. Settling one that has meanwhile been given to another worker changes nothing.
    """

    def ack(self, delivery: Delivery) -> None:
        """It is done. Returns at once; acks go out together. One lost in a crash means one more delivery."""

    async def replace(self, delivery: Delivery, message: Message) -> None:
        """Publish `message` and settle the delivery: never neither, and where the store allows, never both."""

    async def bury(self, delivery: Delivery, burial: Burial) -> None:
        """Give it up: make it a dead letter, with its message byte for byte, or let it wait for an operator."""


class Broker(Source, Protocol):
    """Carries messages from senders to workers; every adapter passes `goatherd.testing.suites.BrokerSuite`.

    Used from one event loop. Methods that wait have a deadline of their own and raise `Unavailable`, with the
    driver's exception as its cause, when the store is away, full or read-only.
    """

    @property
    def state(self) -> LinkState:
        """Whether the broker can be used now."""

    async def declare(self, queues: Iterable[Queue]) -> None:
        """Make what is missing; raises TopologyMismatch when a queue exists with other properties."""

    async def publish(self, messages: Sequence[Message]) -> None:
        """Accept all of them; durable when it returns, in order within a queue.

        Raises Unavailable with the ids that were not accepted as `jobs`, by the publish deadline at the latest.
        """

    async def consume(self, queue: str, prefetch: int, deliver: Deliver, *, shared: bool = False) -> Consumption:
        """Deliver what is due, at most `prefetch` unsettled at a time, higher priority first, then oldest first.

        Never before a message's `due`. A message past its `expires` is not delivered but becomes a dead letter. With
        `shared` there may be thousands: they share what the store has few of, and one that fails harms no other.
        """

    async def close(self) -> None:
        """Send out pending acks, hand back what is unsettled, let go of everything. Idempotent."""


class QueueOperations(Protocol):
    """What operators ask of the broker; its adapter satisfies it too."""

    async def queues(self, also: Sequence[str] = ()) -> Sequence[QueueState]:
        """Every known queue as it stands now, by name; queues for answers only if they are named."""

    def hold_limit(self, queue: str) -> HoldLimit | None:
        """How long a delivery may stay unsettled; None means as long as its worker lives."""

    async def purge(self, queue: str) -> int:
        """Drop every job that waits in a queue; returns how many."""
