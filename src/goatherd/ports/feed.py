"""The way of events to routers: what happens to any job, in the order in which it was written."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from goatherd.model.event import Kind, Position

#: Seconds of silence after which a client loses what it holds to others.
LEASE = 15.0
#: Seconds for which events that nobody takes are kept, after the last that was written.
FED_FOR = 7 * 24 * 3600.0
#: Bytes of an event beyond which the feed only says that it happened; the job's log has the rest.
LARGEST_BODY = 4096


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How many events of a shard wait at most; what is older is dropped and counted."""

    #: As long as no router has ever come: the beginning of a history, should one come.
    unrouted: int = 10_000
    #: Once there is one, for the time in which it is away.
    routed: int = 100_000


class Fed(msgspec.Struct, frozen=True, kw_only=True):
    """An event that was taken from the feed."""

    job: str
    position: Position
    kind: Kind
    #: Its JSON; empty if that is too large for the feed.
    body: bytes
    #: When it was written, in seconds since the epoch.
    at: float
    #: Which part of the feed it is from, and its place there: the store's own business.
    shard: int
    place: str


class Reclaimed(msgspec.Struct, frozen=True, kw_only=True):
    """What had been taken and not been settled for too long."""

    events: Sequence[Fed] = ()
    #: How many more there were that are no longer kept.
    vanished: int = 0


class Lag(msgspec.Struct, frozen=True, kw_only=True):
    """How far routers are behind."""

    #: Events that nobody has taken, and those that were taken and not settled.
    waiting: int = 0
    unsettled: int = 0
    #: Age of the oldest that nobody has taken.
    seconds: float = 0.0
    #: Events that were dropped before they were settled, because there were too many; in the last week.
    dropped: int = 0


class Feed(Protocol):
    """Gives events to routers; every adapter passes `goatherd.testing.suites.FeedSuite`.

    An append to a job's log writes what it adds to the feed in the same step, so that nothing is in one and not in the
    other: every event but tokens, and tokens too if the live server is another one than that of the events.

    Several clients may take at once. Events are spread over shards by their job. A shard is with one client at a time,
    and its events come in the order in which they were written, so those of a job do. Clients share the shards
    between them. One that is silent for `LEASE` seconds loses its shards; what it had taken and not settled is given
    to the next holder before anything newer. So an event may be given twice, and whoever takes it must bear that.

    What is settled is removed. What is not is kept for `FED_FOR` seconds after the last append, and no more than
    `Limits` for each shard: an app without a router does not grow without bound. What is dropped then is counted.

    Used from one event loop, by one task. Every method has a deadline and raises `Unavailable`, with the driver's
    exception as its cause, when the store is away, full or read-only; all may be repeated.
    """

    async def take(self, limit: int, wait: float) -> Sequence[Fed]:
        """At most `limit` events of each shard that this client holds; waits up to `wait` seconds for the first.

        None if nothing happens, or if others hold everything. After a failure, what had been taken and not settled
        is given again.
        """

    async def settle(self, taken: Sequence[Fed], dead: Sequence[Fed] = ()) -> None:
        """They are done with and not given again. Idempotent.

        `dead` are those among them that are the ends of jobs which failed: where the store has a list of these for
        other programs, they are added to it in the same step, once.
        """

    async def reclaim(self, idle: float, limit: int) -> Reclaimed:
        """Take again what was taken at least `idle` seconds ago and not settled, by whomever, on this client's shards.

        At most `limit` events of each shard; ask again until there are none.
        """

    async def lag(self) -> Lag:
        """How far behind all routers are together."""

    async def close(self) -> None:
        """Leave everything to others, at once. Idempotent."""
