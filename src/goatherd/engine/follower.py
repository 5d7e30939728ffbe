"""One who follows a job: a place in its events, and nothing else."""

import asyncio
from collections.abc import Callable, Sequence

from goatherd.engine.hub import Hub
from goatherd.engine.ring import Batch, cut
from goatherd.errors import Unavailable, UnknownJob
from goatherd.model.event import BEGINNING, ENDS, Entry, Position
from goatherd.model.reading import Reading

#: Events, or bytes of them, after which one who is behind gets the state and the text instead, if these are less.
FAR_EVENTS, FAR_BYTES = 1000, 256 * 1024
#: Events, and bytes of them, that are read at a time for one who is behind; whoever is slow holds no more.
PAGE, PAGE_BYTES = 250, 128 * 1024


class Follower:
    """Hands out what follows on a position, each event once and in order; see `Subscriptions.follow`.

    Also an async iterator. Used by one task at a time.
    """

    # Thousands may wait at the same time, so each has a future while it waits and otherwise only its place.
    __slots__ = (
        "_every", "_has_own", "_leave", "_limit", "_nudged", "_page", "_reading", "_singly_until",
        "ended", "hub", "position", "resumed", "waiter",
    )  # fmt: skip

    def __init__(self, hub: Hub, leave: Callable[["Follower"], None]) -> None:
        #: What it shares with others who follow the same job.
        self.hub = hub
        self._leave = leave
        self._every = False
        #: Until there he is told one by one, because the text would be more.
        self._singly_until = 0
        self._limit = PAGE
        self._nudged = False
        #: While it waits for more.
        self.waiter: asyncio.Future[None] | None = None
        #: Whether something was read for this one alone and has not been handed out, and what.
        self._has_own = False
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
            self._reading, self._has_own = await self._read_snapshot(), True
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
        hub = self.hub
        while True:
            told = self.ready()
            if told is not None:
                return told
            if self.ended or self._nudged or hub.problem is not None:
                return self._have_nothing()
            ring = hub.ring
            if ring is None or (ring.top is not self.position and not ring.covers(self.position)):
                await self._catch_up()
                continue
            # Written out here and not in a function of its own: this happens for every event and every follower.
            self.waiter = waiter = hub.loop.create_future()
            try:
                await waiter
            finally:
                self.waiter = None

    def ready(self) -> Reading | Batch | None:
        """What can be handed out without waiting; None if there is nothing."""
        if self._has_own:
            return self._hand_out_own()
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
        waiter = self.waiter
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

    def _hand_out_own(self) -> Reading | Batch:
        reading, self._reading = self._reading, None
        if reading is not None:
            self._has_own = False
            self.position = reading.top
            self.ended = reading.state.closed
            return reading
        batch = cut(self._page)
        self._page = self._page[len(batch) :]
        self._has_own = bool(self._page)
        self.position = batch[-1].position
        self.ended = batch[-1].kind in ENDS
        return batch

    def _is_level(self) -> bool:
        return self.hub.ring is not None and self.hub.ring.covers(self.position)

    def _is_at_the_end(self) -> bool:
        ring = self.hub.ring
        return self.hub.closed and ring is not None and ring.top == self.position

    async def _news(self) -> None:
        self.waiter = self.hub.loop.create_future()
        try:
            await self.waiter
        finally:
            self.waiter = None

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
        if not self._every and self.hub.goes_on_elsewhere(self.position):
            # All who are here need the same then, and get it together.
            return self._take_instead(await self._read_snapshot())
        reading = await self.hub.read(self.position, self._limit)
        if reading is None:
            raise UnknownJob(self.hub.job_id)
        if not reading.resumed:
            return self._take_instead(reading)
        if not self._every and (missed := self._much(reading)):
            instead = await self._read_snapshot()
            # Of a long text most has been told before: then what follows is less, and who is slow gets it sooner.
            if len(instead.text or "") < missed:
                return self._take_instead(instead)
            self._singly_until = instead.top.seq
        await self._take_page(reading.entries)
        return True

    async def _take_page(self, entries: Sequence[Entry]) -> None:
        self._page, self._has_own = entries, bool(entries)
        if not entries:
            # This one has seen all there is, but what all share has not come so far.
            await self.hub.look()
        elif sum(len(entry.body) for entry in entries) > PAGE_BYTES:
            self._page, self._limit = cut(entries), max(self._limit // 4, 10)
        else:
            self._limit = min(self._limit * 2, PAGE)

    def _take_instead(self, reading: Reading) -> bool:
        """Take what stands for events; false if it is older than what was handed out."""
        lost_its_end = reading.top.epoch == self.position.epoch and reading.top.seq < self.position.seq
        # Whoever writes sends it again, and the log then goes on under another epoch.
        if not lost_its_end:
            self._reading, self._has_own = reading, True
        return not lost_its_end

    async def _read_snapshot(self) -> Reading:
        reading = await self.hub.read_snapshot()
        if reading is None:
            raise UnknownJob(self.hub.job_id)
        return reading

    def _much(self, reading: Reading) -> int:
        """About how many bytes were missed, if that is much; else 0."""
        behind, entries = reading.top.seq - self.position.seq, reading.entries
        if not entries or self.position.seq < self._singly_until:
            return 0
        missed = behind * sum(len(entry.body) for entry in entries) // len(entries)
        return missed if behind > FAR_EVENTS or missed > FAR_BYTES else 0
