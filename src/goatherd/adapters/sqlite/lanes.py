"""The lanes port on SQLite: each call is one transaction, and a doorbell tells workers of ready lanes."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import apsw

from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.lanes_bells import LaneChanges, lane_topic
from goatherd.adapters.sqlite.lanes_claims import QueueTurns, claim, end_what_is_due, outlook, still_taken
from goatherd.adapters.sqlite.lanes_entry import enter
from goatherd.adapters.sqlite.lanes_operations import (
    find_lanes,
    get_lane,
    jobs_of,
    oldest_letters,
    retry_head,
    skip_head,
    unblock_lane,
    waiting_lanes,
)
from goatherd.adapters.sqlite.lanes_peers import Given, decode_given, decode_placements, once
from goatherd.adapters.sqlite.lanes_settling import settle
from goatherd.adapters.sqlite.lanes_step import Step
from goatherd.adapters.sqlite.patience import in_time
from goatherd.adapters.sqlite.queries import run, run_many
from goatherd.adapters.sqlite.watchers import SqliteWatch, Watchers
from goatherd.model.dead_letter import Burial
from goatherd.model.lane import (
    Claim,
    Exchange,
    Exchanged,
    Hold,
    LaneCondition,
    LaneItem,
    LaneJob,
    LaneLetter,
    LaneState,
    Placement,
)
from goatherd.model.lane_wait import MOST_READY, LaneWait
from goatherd.model.statement import InLane, IntoLane
from goatherd.ports.clock import Clock
from goatherd.ports.lanes import WakeUp

Result = TypeVar("Result")

#: Told when the file does not answer.
_COMFORT = "Try again: what was done all the same is not done twice."


class LaneWatch:
    """Satisfies `Subscription`."""

    def __init__(self, watches: Sequence[SqliteWatch]) -> None:
        self._watches = watches

    async def stop(self) -> None:
        """See `Subscription.stop`."""
        for watch in self._watches:
            await watch.stop()


class SqliteLanes:
    """Satisfies `Lanes` and `LaneOperations`."""

    def __init__(
        self, database: Database, clock: Clock, *, deadline: float, give_back: Callable[[], Awaitable[None]]
    ) -> None:
        self._database = database
        self._clock = clock
        self._deadline = deadline
        self._give_back = give_back
        self._changes = LaneChanges(database, clock)
        self._watchers = Watchers(database)
        self._turns = QueueTurns()
        self._closed = False

    async def enqueue(self, sender: str, number: int, items: Sequence[LaneItem]) -> Sequence[Placement]:
        def put(step: Step) -> list[Placement]:
            return once(step, f"sender {sender}", number, decode_placements, lambda: enter(step, items))

        return await self._change(put)

    async def exchange(self, exchange: Exchange) -> Exchanged:
        def settle_and_claim(step: Step) -> Exchanged:
            claims: list[Claim] | None = None

            def act() -> Given:
                nonlocal claims
                settled = [settle(step, settlement) for settlement in exchange.settled]
                end_what_is_due(step)
                claims = claim(step, exchange, self._turns)
                return Given(settled, [taken.hold for taken in claims])

            given = once(step, f"worker {exchange.worker}", exchange.number, decode_given, act)
            if claims is None:
                claims = still_taken(step, given.holds)
            next_due, letters = outlook(step)
            return Exchanged(settled=given.settled, claims=claims, next_due=next_due, letters=letters)

        # A power cut undoes the latest of these together: then some jobs are done again, under greater tokens.
        return await self._change(settle_and_claim, durable=False)

    async def beat(self, holds: Sequence[Hold], lease: float) -> Sequence[bool]:
        def prolong(connection: apsw.Connection) -> list[bool]:
            until = self._clock.now() + lease
            return [run(connection, "prolong", (until, hold.lane, hold.token, hold.seq)) > 0 for hold in holds]

        return await self._in_time(self._database.write(prolong, durable=False))

    async def watch(self, queues: Sequence[str], wake: WakeUp) -> LaneWatch:
        watches: list[SqliteWatch] = []
        try:
            for queue in dict.fromkeys(queues):
                watches.append(await self._in_time(self._watchers.add(lane_topic(queue), lambda _entries: wake())))
        except BaseException:
            await LaneWatch(watches).stop()
            raise
        return LaneWatch(watches)

    async def letters(self, limit: int) -> Sequence[LaneLetter]:
        return await self._in_time(self._database.read(lambda connection: oldest_letters(connection, limit)))

    async def remove_letters(self, ids: Sequence[str]) -> None:
        named = [(id,) for id in ids]
        removing = self._database.write(
            lambda connection: run_many(connection, "drop_lane_letter", named), durable=False
        )
        await self._in_time(removing)

    async def find(
        self, *, condition: LaneCondition | None = None, containing: str = "", limit: int = 100
    ) -> Sequence[LaneState]:
        return await self._in_time(
            self._database.read(lambda connection: find_lanes(connection, condition, containing, limit))
        )

    async def get(self, key: str) -> LaneState | None:
        return await self._in_time(self._database.read(lambda connection: get_lane(connection, key)))

    async def jobs(self, key: str, limit: int) -> Sequence[LaneJob]:
        return await self._in_time(self._database.read(lambda connection: jobs_of(connection, key, limit)))

    async def waiting(self, queues: Sequence[str], most: int = MOST_READY) -> Sequence[LaneWait]:
        now = self._clock.now()
        return await self._in_time(self._database.read(lambda connection: waiting_lanes(connection, queues, now, most)))

    async def retry(self, key: str, content: bytes | None = None, *, seq: int | None = None) -> bool:
        return await self._change(lambda step: retry_head(step, key, content, seq))

    async def skip(self, key: str, burial: Burial, *, seq: int | None = None) -> bool:
        return await self._change(lambda step: skip_head(step, key, burial, seq))

    async def unblock(self, key: str) -> bool:
        return await self._change(lambda step: unblock_lane(step, key))

    def within(self, hold: Hold) -> InLane | None:
        # A user's connection cannot share our file.
        return None

    def entry_within(self, items: Sequence[LaneItem]) -> IntoLane | None:
        return None

    def ring(self, queues: Sequence[str]) -> None:
        """Nobody has put a job into a lane without our knowing."""

    async def close(self) -> None:
        await self._leave(self._watchers.close)

    async def vanish(self) -> None:
        """Be gone as after `kill -9`, for tests of what others do then."""
        await self._leave(self._watchers.vanish)

    async def _change(self, act: Callable[[Step], Result], *, durable: bool = True) -> Result:
        return await self._in_time(self._changes.make(act, durable=durable))

    async def _leave(self, let_go: Callable[[], Awaitable[None]]) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            await let_go()
        finally:
            self._changes.close()
            await self._give_back()

    async def _in_time(self, asked: Awaitable[Result]) -> Result:
        return await in_time(self._database, self._deadline, asked, _COMFORT)
