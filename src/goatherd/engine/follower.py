"""One who follows a job: a place in its events, and nothing else."""

import asyncio
from collections.abc import Callable, Sequence

from goatherd.engine.hub import Hub
from goatherd.engine.ring import Batch, cut
from goatherd.errors import Unavailable, UnknownJob
from goatherd.model.event import BEGINNING, ENDS, Entry, Position
from goatherd.model.reading import Reading

#: Events, and bytes of them, after which one who is behind gets the state and the text instead.
FAR_EVENTS, FAR_BYTES = 1000, 256 * 1024
#: Events that are read at a time for one who is behind; whoever reads slowly holds so many.
PAGE = 250


class Follower:
    """Hands out what follows on a position, each event once and in order; see `Subscriptions.follow`.

    Also an async iterator. Used by one task at a time.
    """

    # Thousands may wait at the same time, so each has a future while it waits and otherwise only its place.
    __slots__ = ("_every", "_leave", "_nudged", "_page", "_reading", "_waiter", "ended", "hub", "position", "resumed")

    def __init__(self, hub: Hub, leave: Callable[["Follower"], None]) -> None:
        #: What it shares with others who follow the same job.
        self.hub = hub
        self._leave = leave
        self._every = False
        self._nudged = False
        self._waiter: asyncio.Future[None] | None = None
        #: What was read for this one alone and has not been handed out.
        self._page: Sequence[Entry] = ()
        self._reading: Reading | None = None
        #: Of the last event handed out.
        self.position = BEGINNING
        #: Whether the job's last event has been handed out.
        self.ended = False
        #: Whether it goes on where it was asked to; if not, a Reading comes first.
        self.resumed = False

    async def begin(self, after: Position | None, *, every: bool) -> None:
        """Take a place; raises UnknownJob or Unavailable."""
        if after is None:
            self._reading = await self._read_snapshot()
            return
        self.position = after if after.seq else BEGINNING
        self._every = every or not after.seq
        if not self._is_level():
            await self._read()
        self.resumed = self._reading is None
        self.ended = self.resumed and not self._page and self._is_at_the_end()

    async def next(self) -> Reading | Sequence[Entry]:
        """Wait for more: events that directly follow `position`, or a Reading if they cannot be told one by one.

        Raises StopAsyncIteration when the last event has been handed out, and UnknownJob when the store has known
        nothing of the job for a while. A store that is away is waited for. Empty after `nudge`.
        """
        while True:
            told = self.ready()
            if told is not None:
                return told
            if self.ended or self._nudged or self.hub.problem is not None:
                return self._have_nothing()
            if not self._is_level():
                await self._catch_up()
                continue
            # Written out here and not in a function of its own: this happens for every event and every follower.
            waiter = self._waiter = self.hub.loop.create_future()
            try:
                await waiter
            finally:
                self._waiter = None

    def ready(self) -> Reading | Batch | None:
        """What can be handed out without waiting; None if there is nothing."""
        if self._reading is not None:
            return self._hand_out_reading()
        if self._page:
            return self._hand_out_page()
        ring = self.hub.ring
        batch = None if ring is None else ring.after(self.position)
        if not batch:
            return None
        last = batch[-1]
        self.position = last.position
        self.ended = last.kind in ENDS
        return batch

    def nudge(self) -> None:
        """Let the one who waits in `next` go on at once, with nothing."""
        self._nudged = True
        self.wake()

    def wake(self) -> None:
        """There may be more."""
        waiter = self._waiter
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    async def stop(self) -> None:
        """Follow no more. Idempotent."""
        self._leave(self)

    def __aiter__(self) -> "Follower":
        return self

    async def __anext__(self) -> Reading | Sequence[Entry]:
        return await self.next()

    def _have_nothing(self) -> Sequence[Entry]:
        if self.ended:
            raise StopAsyncIteration
        if self.hub.problem is not None:
            raise self.hub.problem
        self._nudged = False
        return ()

    def _hand_out_reading(self) -> Reading | None:
        reading, self._reading = self._reading, None
        if reading is not None:
            self.position = reading.top
            self.ended = reading.state.closed
        return reading

    def _hand_out_page(self) -> Batch:
        batch = cut(self._page)
        self._page = self._page[len(batch) :]
        self.position = batch[-1].position
        self.ended = batch[-1].kind in ENDS
        return batch

    def _is_level(self) -> bool:
        ring = self.hub.ring
        return ring is not None and (ring.top is self.position or ring.covers(self.position))

    def _is_at_the_end(self) -> bool:
        ring = self.hub.ring
        return self.hub.closed and ring is not None and ring.top == self.position

    async def _news(self) -> None:
        waiter = self._waiter = self.hub.loop.create_future()
        try:
            await waiter
        finally:
            self._waiter = None

    async def _catch_up(self) -> None:
        try:
            has_more = await self._read()
        except Unavailable:
            has_more = False
        except UnknownJob:
            if self.hub.ring is None:
                raise
            # Its writer may begin the log anew: the hub looks for it, and tells when it has waited enough.
            self.hub.look_soon()
            has_more = False
        if not has_more and self.hub.problem is None:
            # The hub tells when the store has answered.
            self.hub.stuck = True
            await self._news()

    async def _read(self) -> bool:
        """Read what follows; false if that must be tried again later."""
        if self._every or not self.hub.is_far(self.position, FAR_EVENTS):
            reading = await self.hub.read(self.position, PAGE)
            if reading is None:
                raise UnknownJob(self.hub.job_id)
            if reading.resumed and (self._every or not self._is_much(reading)):
                self._page = reading.entries
                if not self._page:
                    # This one has seen all there is, but what all share has not come so far.
                    await self.hub.look()
                return True
            if not reading.resumed:
                return self._take_instead(reading)
        return self._take_instead(await self._read_snapshot())

    def _take_instead(self, reading: Reading) -> bool:
        """Take what stands for events; false if it is older than what was handed out."""
        lost_its_end = reading.top.epoch == self.position.epoch and reading.top.seq < self.position.seq
        # Whoever writes sends it again, and the log then goes on under another epoch.
        self._reading = None if lost_its_end else reading
        return not lost_its_end

    async def _read_snapshot(self) -> Reading:
        reading = await self.hub.read_snapshot()
        if reading is None:
            raise UnknownJob(self.hub.job_id)
        return reading

    def _is_much(self, reading: Reading) -> bool:
        behind = reading.top.seq - self.position.seq
        return behind > FAR_EVENTS or sum(len(entry.body) for entry in reading.entries) > FAR_BYTES
