"""What is done for a consumer's queue and for its messages before they are delivered."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from goatherd.adapters.rabbitmq.channel import Channel
from goatherd.adapters.rabbitmq.handle import Handle
from goatherd.adapters.rabbitmq.properties import Properties
from goatherd.model.message import Delivery, Message


class Prepare(Protocol):
    """Has a queue before it is consumed."""

    async def __call__(self, queue: str, *, again: bool) -> None:
        """`again` if it was consumed before."""


@dataclass(frozen=True, kw_only=True)
class Care:
    """The same for many consumers."""

    #: Take one away that is not due yet (with its time) or has expired.
    put_aside: Callable[[Delivery, float | None], Awaitable[None]]
    #: How many processes died while they ran the job of this message.
    deaths: Callable[[Message], int]
    #: Whether a message that comes again belongs to a job that still runs here, which now settles this one instead.
    carried_on: Callable[[Message, Handle], bool]
    #: What comes from here is a copy of a dead letter, of which only the id is delivered.
    announcing_exchanges: frozenset[str]
    #: The body to deliver instead of a copy of a dead letter.
    announced: Callable[[Properties, bytes, str], bytes]
    #: Whether copies of dead letters are what the queue is for, so that also what was moved there may be one.
    hears_of_letters: bool = False
    #: Whether a queue that is gone is being replaced, and will be there again.
    is_replaced: Callable[[str], Awaitable[bool]] | None = None
    #: Make the queue on a new channel and tell its name, where it is this process's own.
    make_queue: Callable[[Channel], Awaitable[str]] | None = None
    #: Have the queue before it is consumed on a channel that others use too: a refusal would end them all.
    prepare: Prepare | None = None
    #: The consumer of a queue has ended for good.
    released: Callable[[str], None] | None = None

    @classmethod
    def of_own_queue(cls, make: Callable[[Channel], Awaitable[str]]) -> "Care":
        """For a queue of this process's own, from which everything is delivered as it is."""
        return cls(
            put_aside=_never,
            deaths=lambda _message: 0,
            carried_on=lambda _message, _handle: False,
            announcing_exchanges=frozenset(),
            announced=lambda _read, body, _key: body,
            make_queue=make,
        )


async def _never(_delivery: Delivery, _due: float | None) -> None:
    raise AssertionError("nothing is delayed or kept in a queue of a process's own")
