"""Take jobs for the subscriptions of one process: claims and acks of many jobs in one transaction.

One loop does it all. While a transaction is on its way, what is settled meanwhile gathers for the next one, so
batches grow with the load and an idle process answers at once.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import apsw

from goatherd.adapters.sqlite.claims import Takers, claim
from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.graves import bury_expired
from goatherd.adapters.sqlite.held import Claim, Held
from goatherd.adapters.sqlite.presence import Presence
from goatherd.adapters.sqlite.queries import rows, run, run_many
from goatherd.errors import Unavailable
from goatherd.model.message import Delivery
from goatherd.ports.clock import Clock, Timer

#: Seconds between two looks at the file when no bell rings: the first after activity, and the longest.
SHORTEST_LOOK, LONGEST_LOOK = 0.05, 1.0
#: Seconds to wait after the file could not be used.
PAUSE_AFTER_FAILURE = 0.5

log = logging.getLogger("goatherd.sqlite")


class Evicted(Exception):
    """Others took this worker for dead and gave its jobs away."""


class Passed(NamedTuple):
    """What happened with time."""

    #: When the next job falls due or expires.
    next: float | None
    #: Calls whose callers have given up.
    called_off: Sequence[str]


class Consumer:
    """Everything that this process takes from the file."""

    def __init__(self, database: Database, presence: Presence, clock: Clock) -> None:
        self._database = database
        self._presence = presence
        self._clock = clock
        #: By queue, most often one to each; what is in here is replaced and never changed.
        self._held: dict[int, tuple[Held, ...]] = {}
        self._acks: list[tuple[int, int]] = []
        self._wake = asyncio.Event()
        self._timer: Timer | None = None
        self._task: asyncio.Task[None] | None = None
        self._seen_version = (-1, -1)
        self._stepping = asyncio.Lock()
        self._joining = asyncio.Lock()
        #: Told of calls that this process holds and whose callers have given up; several workers may share it.
        self.listeners: list[Callable[[str], None]] = []
        self.failing: Exception | None = None
        self.since = 0.0
        self.recoveries = 0

    @property
    def trouble(self) -> str:
        """Why nothing can be taken; empty if all is well."""
        return "" if self.failing is None else str(self.failing)

    async def add(self, held: Held) -> None:
        """Take from one more queue."""
        async with self._joining:
            if self._task is None:
                await self._join()
                self._task = asyncio.create_task(self._run(), name="goatherd sqlite consumer")
        await self._subscribe(held)
        held.began, held.recoveries_before = self._clock.now(), self.recoveries
        self._held[held.queue_id] = (*self._held.get(held.queue_id, ()), held)
        self._wake.set()

    async def resume(self, held: Held) -> None:
        """See to it that a queue is taken from."""
        await self._subscribe(held)
        self._wake.set()

    async def drop(self, held: Held) -> None:
        """Take from a queue no more; waits for a claim that is under way."""
        if held.ended is None:
            self._let_go(held)
        async with self._stepping:
            # Whoever was taking, or registering under another id, has done so.
            row = {"queue": held.queue_id, "worker": self._presence.id}
        if self._task is None or held.queue_id in self._held:
            # All of it has ended; or somebody else in this process takes from the queue, too.
            return
        # Not within it, for of many that are dropped together this is one transaction.
        await self._database.write(lambda connection: run(connection, "unsubscribe", row), durable=False)

    def _let_go(self, held: Held) -> None:
        others = tuple(each for each in self._held.pop(held.queue_id, ()) if each is not held)
        if others:
            self._held[held.queue_id] = others
        held.ended = self._clock.now()

    def ack(self, claim: Claim) -> None:
        """Settle with the next transaction."""
        self._acks.append((claim.seq, claim.worker))
        self.released(claim)

    def released(self, claim: Claim) -> None:
        """A delivery was settled, so that another may take its place."""
        claim.held.unsettled -= 1
        self._wake.set()

    async def close(self) -> None:
        """Send out the acks, hand back the rest, sign off."""
        if self._task is None:
            return
        await self._end_loop()
        self._held.clear()
        acks, self._acks = self._acks, []
        try:
            await self._database.write(lambda connection: run_many(connection, "ack", acks), durable=False)
        finally:
            await self._presence.leave()

    async def vanish(self) -> None:
        """Be gone as after `kill -9`."""
        if self._task is not None:
            await self._end_loop()
            self._held.clear()
            self._presence.vanish()

    async def _end_loop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            async with self._stepping:
                task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        if self._timer is not None:
            self._timer.cancel()
        asyncio.get_running_loop().remove_reader(self._presence.doorbell.fileno())

    async def _join(self) -> None:
        await self._presence.join(list(self._held))
        asyncio.get_running_loop().add_reader(self._presence.doorbell.fileno(), self._rung)

    async def _subscribe(self, held: Held) -> None:
        row = {"queue": held.queue_id, "worker": self._presence.id}
        await self._database.write(lambda connection: run(connection, "subscribe", row), durable=False)

    def _rung(self) -> None:
        self._presence.doorbell.silence()
        self._wake.set()

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            try:
                async with self._stepping:
                    more = await self._step_or_rejoin()
                self._recovered()
                if not more:
                    await self._rest()
            except Exception as error:  # noqa: BLE001 - whatever one step meets, the next must be tried
                self._failed(error)
                await asyncio.sleep(PAUSE_AFTER_FAILURE)

    async def _step_or_rejoin(self) -> bool:
        try:
            return await self._step()
        except Evicted:
            await self._rejoin()
            return True

    async def _step(self) -> bool:
        """One transaction; true if there is more to do at once."""
        acks, self._acks = self._acks, []
        takers = dict(self._held)
        try:
            claimed, passed = await self._database.write(
                partial(self._exchange, acks, takers, self._clock.now()), durable=False
            )
        except BaseException:
            self._acks = acks + self._acks
            raise
        for held, deliveries in claimed:
            held.unsettled += len(deliveries)
            held.last_delivery = self._clock.now()
            held.deliver(deliveries)
        for job_id in passed.called_off:
            for called_off in self.listeners:
                called_off(job_id)
        self._alarm(passed.next)
        return bool(self._acks)

    def _exchange(
        self, acks: list[tuple[int, int]], takers: Takers, now: float, connection: apsw.Connection
    ) -> tuple[list[tuple[Held, Sequence[Delivery]]], "Passed"]:
        worker = self._presence.id
        if acks:
            run_many(connection, "ack", acks)
        passed = self._let_time_pass(connection, worker, now)
        return claim(connection, worker, takers), passed

    def _let_time_pass(self, connection: apsw.Connection, worker: int, now: float) -> "Passed":
        """Make ready what is due, bury what has expired, and hear who has given up."""
        [(registered, due, stale, given_up)] = rows(connection, "look", (worker,))
        if not registered:
            raise Evicted
        moment: float | None = min((time for time in (due, stale) if time is not None), default=None)
        if moment is None or moment > now:
            return Passed(moment, [job for (job,) in rows(connection, "called_off", (worker,))] if given_up else ())
        run(connection, "make_ready", {"now": now})
        bury_expired(connection, now)
        return self._let_time_pass(connection, worker, now)

    def _alarm(self, moment: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if moment is not None:
            self._timer = self._clock.call_at(moment, self._wake.set)

    async def _rest(self) -> None:
        """Wait for a bell, the clock or an ack; look for oneself now and then, for bells may be lost."""
        pause = SHORTEST_LOOK
        while not await self._woken_within(pause) and not await self._file_changed():
            pause = min(LONGEST_LOOK, pause * 2)

    async def _woken_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return False
        return True

    async def _file_changed(self) -> bool:
        version = await self._database.read(_version)
        changed = version != self._seen_version
        self._seen_version = version
        return changed

    async def _rejoin(self) -> None:
        log.warning(
            "Worker %d was silent for so long that its jobs were given to others; it goes on under a new id",
            self._presence.id,
        )
        bell, ledger = self._presence.doorbell, self._presence.ledger
        await self._join()
        asyncio.get_running_loop().remove_reader(bell.fileno())
        bell.close()
        ledger.close()

    def _failed(self, error: Exception) -> None:
        if self.failing is None:
            unforeseen = None if isinstance(error, Unavailable) else error
            log.error("No jobs can be taken: %s", error, exc_info=unforeseen)
            self.since = self._clock.now()
        self.failing = error

    def _recovered(self) -> None:
        if self.failing is not None:
            log.warning("The store works again; jobs are taken")
            self.since = self._clock.now()
            self.recoveries += 1
        self.failing = None


def _version(connection: apsw.Connection) -> tuple[int, int]:
    """Changes whenever the file does: by other connections, or by other users of this one."""
    return connection.pragma("data_version"), connection.total_changes()
