"""What is on its way to the broker, and what became of it."""

import asyncio
from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple

from goatherd.ports.calls import Receipt

#: The exchange for word that nobody need hear; every broker has it.
HINTS = "amq.direct"


class Outgoing(NamedTuple):
    """One message for the broker."""

    id: str
    exchange: str
    routing_key: str
    properties: bytes
    body: bytes


class Outcome(Enum):
    """How a publish ended."""

    TAKEN = "taken"
    RETURNED = "no queue takes it"
    NO_EXCHANGE = "there is no such exchange"
    REFUSED = "the queue is full"
    FORBIDDEN = "the broker does not allow it"
    UNKNOWN = "the connection was lost before the broker answered"


class Batch:
    """Messages published together, and the outcome of each."""

    __slots__ = ("done", "left", "messages", "outcomes", "why", "written")

    def __init__(self, messages: Sequence[Outgoing]) -> None:
        self.messages = messages
        self.outcomes = [Outcome.UNKNOWN] * len(messages)
        self.left = len(messages)
        #: How many have gone out.
        self.written = 0
        #: What the broker said about those that it does not allow.
        self.why = ""
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def all_taken(self) -> bool:
        """Whether the broker has them all."""
        return self.outcomes.count(Outcome.TAKEN) == len(self.outcomes)

    @property
    def not_taken(self) -> list[Outgoing]:
        """Those that the broker has not taken, as far as is known."""
        return [m for m, o in zip(self.messages, self.outcomes, strict=True) if o is not Outcome.TAKEN]

    def settle(self, index: int, outcome: Outcome) -> None:
        if self.outcomes[index] is Outcome.UNKNOWN:
            self.outcomes[index] = outcome
        self.left -= 1
        if not self.left and not self.done.done():
            self.done.set_result(None)


class Letter:
    """One message for whose outcome nobody waits here; the receipt is told. Satisfies `Wait`."""

    __slots__ = ("_ended", "_not_taken", "messages", "outcomes", "receipt", "why", "written")

    def __init__(
        self, message: Outgoing, receipt: Receipt, not_taken: Callable[["Letter", TimeoutError | None], None]
    ) -> None:
        #: Told once, if it was not taken: whether it may be tried again, or has taken all its time.
        self._not_taken = not_taken
        self._ended = False
        self.messages = (message,)
        self.outcomes = [Outcome.UNKNOWN]
        self.written = 0
        self.why = ""
        self.receipt = receipt

    def done(self) -> bool:
        """Whether its outcome is known, or out of our hands."""
        return self._ended

    def set_exception(self, error: TimeoutError, /) -> None:
        """Its time is up, and the broker has said nothing."""
        self._ended = True
        self._not_taken(self, error)

    def settle(self, index: int, outcome: Outcome) -> None:
        if self._ended:
            return
        self._ended = True
        if outcome is Outcome.TAKEN and self.outcomes[index] is Outcome.UNKNOWN:
            self.receipt.taken()
        else:
            self._not_taken(self, None)
