"""One job that is followed: one watch at the store, and its newest events, for all who follow it here.

A call from the store may be lost, doubled, late or empty, so it is a doorbell and not the delivery. What it tells is
kept only if it follows directly on the last event; otherwise, and after a silence, the log is read.
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from goatherd.engine.ring import Ring
from goatherd.engine.surroundings import Surroundings
from goatherd.errors import GoatherdError, Unavailable, UnknownJob
from goatherd.model.event import Entry, Position
from goatherd.model.reading import Reading
from goatherd.ports.events import PAGE, Watch

if TYPE_CHECKING:
    from goatherd.engine.follower import Follower

Result = TypeVar("Result")

log = logging.getLogger("goatherd.subscriptions")

#: Seconds for which a log may be missing: if its store was emptied, its writer begins it anew.
GONE_AFTER = 30.0


class Hub:
    """A job and those who follow it."""

    # Many jobs may be followed by one process, each with its hub.
    __slots__ = (
        "_around", "_look", "_missing_since", "_one_by_one", "_snapshot", "_stale", "_watch",
        "closed", "followers", "heard_at", "job_id", "loop", "problem", "ring", "stuck",
    )  # fmt: skip

    def __init__(self, job_id: str, around: Surroundings) -> None:
        self.job_id = job_id
        #: Kept, because to ask for it is a call of the system, and followers need it for every event.
        self.loop = asyncio.get_running_loop()
        self._around = around
        self._watch: Watch | None = None
        self._one_by_one = asyncio.Lock()
        #: In the order in which they came.
        self.followers: dict[Follower, None] = {}
        #: None until the log was read for the first time.
        self.ring: Ring | None = None
        #: Whether the last event of the ring is the job's last.
        self.closed = False
        #: Whether a follower could not read for itself, and waits until the store answers again.
        self.stuck = False
        #: Why nobody can follow it any more.
        self.problem: GoatherdError | None = None
        self.heard_at = around.clock.now()
        #: Whether something may have been written that is not in the ring.
        self._stale = False
        self._missing_since: float | None = None
        self._look: asyncio.Task[None] | None = None
        self._snapshot: asyncio.Task[Reading | None] | None = None

    async def open(self) -> None:
        """Be called from now on whenever there is something new; raises Unavailable."""
        # Whoever comes first opens it for all; if he gives up meanwhile, the next one does.
        async with self._one_by_one:
            if self._watch is None:
                self._watch = await self._around.events.watch(self.job_id, self.wake)
        if self._stale:
            self.look_soon()

    async def close(self) -> None:
        """Be called no more."""
        watch, self._watch = self._watch, None
        if watch is None:
            return
        try:
            await watch.stop()
        except Unavailable as error:
            # A store that is away calls nobody, and has forgotten us when it is back.
            log.debug("Job %s is followed no more, which its store was not told: %s", self.job_id, error)

    def give_up(self, problem: GoatherdError) -> None:
        """Tell all who follow that they cannot, and why."""
        self.problem = problem
        self._tell()

    def wake(self, entries: Sequence[Entry]) -> None:
        """See `Wake`."""
        self.heard_at = self._around.clock.now()
        ring = self.ring
        if ring is None:
            self.look_soon()
            return
        top = ring.top
        if not entries or not all(map(ring.add_heard, entries)):
            self.look_soon()
        if ring.top is not top:
            self.closed = ring.ends
            self._tell()

    def look_soon(self) -> None:
        """Read the log, for all who follow."""
        self._stale = True
        if self.ring is None:
            # Whoever reads it for the first time does so for himself.
            self._unstick()
        elif self._look is None and self.followers and self.problem is None:
            self._look = self._around.begin(self._read_log(), f"goatherd look at {self.job_id}")

    async def look(self) -> None:
        """Read the log, from now on, and return when that is done or has failed."""
        self.look_soon()
        if self._look is not None:
            await self._shared(self._look)

    async def read(self, after: Position, limit: int) -> Reading | None:
        """Read for one who is behind; raises Unavailable."""
        reading = await self._around.read(self.job_id, after, limit)
        if reading is not None:
            self._learn(after, reading)
        return reading

    async def read_snapshot(self) -> Reading | None:
        """The job as it stands; one read for all who ask at about the same time; raises Unavailable.

        Nobody gets what was read before he asked: he may have seen more by then.
        """
        if self._snapshot is None:
            self._snapshot = self._around.begin(self._read_text(), f"goatherd snapshot of {self.job_id}")
        return await self._shared(self._snapshot)

    def goes_on_elsewhere(self, position: Position) -> bool:
        """Whether the log goes on under another epoch than that of a position."""
        return self.ring is not None and position.epoch != self.ring.top.epoch

    async def _shared(self, task: "asyncio.Task[Result]") -> Result:
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            # Of the two that may have been cancelled, only our own end is the caller's.
            if task.cancelled() and self.problem is not None:
                raise self.problem from None
            raise

    async def _read_text(self) -> Reading | None:
        # A text may be long: it is read once at a time, and whoever asks meanwhile gets the next one.
        async with self._one_by_one:
            self._snapshot = None
            reading = await self._around.read(self.job_id, None, PAGE)
        if reading is not None:
            self._learn(reading.top, reading)
        return reading

    async def _read_log(self) -> None:
        try:
            while self._stale and self.ring is not None:
                self._stale = False
                await self._read_on(self.ring.top)
        except Unavailable:
            # It is tried again after the next silence, or when the store calls.
            self._stale = True
        finally:
            self.heard_at = self._around.clock.now()
            self._look = None

    async def _read_on(self, top: Position) -> None:
        reading = await self._around.read(self.job_id, top, PAGE)
        if reading is None:
            self._note_missing()
            return
        self._missing_since = None
        self._learn(top, reading, leads=True)
        self._stale |= not reading.complete
        self._unstick()

    def _note_missing(self) -> None:
        now = self._around.clock.now()
        if self._missing_since is None:
            self._missing_since = now
        if abs(now - self._missing_since) >= GONE_AFTER:
            self.give_up(UnknownJob(self.job_id))

    def _learn(self, after: Position, reading: Reading, *, leads: bool = False) -> None:
        """Take from a reading what is news to all; one that `leads` began where the ring ends."""
        ring = self.ring
        if ring is None or (leads and not reading.resumed):
            if reading.complete:
                self._begin_ring(after, reading)
            return
        top = ring.top
        if reading.resumed:
            ring.add_read(after, reading.entries)
        if ring.top is not top:
            self.closed = ring.ends
            self._tell()
        if not leads and reading.complete and not ring.covers(reading.top):
            self.look_soon()

    def _begin_ring(self, after: Position, reading: Reading) -> None:
        self.ring = Ring.holding(after, reading, self._around.most)
        self.closed = reading.state.closed
        self._tell()
        if self._stale:
            self.look_soon()

    def _unstick(self) -> None:
        if self.stuck:
            self.stuck = False
            self._tell()

    def _tell(self) -> None:
        for follower in self.followers:
            # The same as `wake`, written out: there may be thousands.
            waiter = follower.waiter
            if waiter is not None and not waiter.done():
                waiter.set_result(None)
