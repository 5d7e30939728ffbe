"""The feed of routers on SQLite: one router holds all of it, others wait until it is gone."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar
from uuid import uuid4

import apsw

from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.feeding import ROUTERS
from goatherd.adapters.sqlite.patience import in_time
from goatherd.adapters.sqlite.queries import rows, run, run_many
from goatherd.adapters.sqlite.watchers import Watchers
from goatherd.model.event import Position
from goatherd.ports.clock import Clock
from goatherd.ports.feed import LEASE, Fed, Lag, Reclaimed

Result = TypeVar("Result")

#: Told when the file does not answer.
_COMFORT = "The router tries again."

#: Seconds between two looks by a router that is not rung for.
LOOK_EVERY = 1.0


class SqliteFeed:
    """Satisfies `Feed`."""

    def __init__(
        self, database: Database, clock: Clock, *, deadline: float, give_back: Callable[[], Awaitable[None]]
    ) -> None:
        self._database = database
        self._clock = clock
        self._deadline = deadline
        self._give_back = give_back
        self._router = uuid4().hex
        self._watchers = Watchers(database)
        self._rung = asyncio.Event()
        self._listening = False
        #: Whether something may have been taken for us that we never got.
        self._unsure = True
        self._closed = False

    async def take(self, limit: int, wait: float) -> Sequence[Fed]:
        loop = asyncio.get_running_loop()
        until = loop.time() + wait
        if not self._listening:
            await self._in_time(self._watchers.add(ROUTERS, lambda _entries: self._rung.set()))
            self._listening = True
        while True:
            self._rung.clear()
            found = await self._taken(limit)
            left = until - loop.time()
            if found or left <= 0:
                return found
            await self._ring_or(min(left, LOOK_EVERY))

    async def settle(self, taken: Sequence[Fed], dead: Sequence[Fed] = ()) -> None:
        places = [(int(fed.place),) for fed in taken]
        await self._write(lambda connection: run_many(connection, "settle", places))

    async def reclaim(self, idle: float, limit: int) -> Reclaimed:
        def retake(connection: apsw.Connection) -> list[tuple[Any, ...]]:
            now = self._clock.now()
            if not self._holds(connection, now):
                return []
            return rows(connection, "retake", {"now": now, "before": now - idle, "limit": limit})

        return Reclaimed(events=_fed(await self._write(retake)))

    async def lag(self) -> Lag:
        [row] = await self._in_time(self._database.read(lambda connection: rows(connection, "feed_lag")))
        waiting, unsettled, oldest, dropped = row
        age = max(0.0, self._clock.now() - oldest) if oldest is not None else 0.0
        return Lag(waiting=waiting, unsettled=unsettled, seconds=age, dropped=dropped)

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            await self._watchers.close()
            await self._write(lambda connection: run(connection, "let_go_of_feed", {"router": self._router}))
        finally:
            await self._give_back()

    async def vanish(self) -> None:
        """Be gone as after `kill -9`, for tests of what others do then."""
        self._closed = True
        await self._watchers.vanish()
        await self._give_back()

    async def _taken(self, limit: int) -> list[Fed]:
        """What waits, if the feed is ours or nobody's; writes only if there is something to write."""
        [(holder, until, waits)] = await self._in_time(
            self._database.read(lambda connection: rows(connection, "look_at_feed"))
        )
        now = self._clock.now()
        ours = holder == self._router and until - now > LEASE / 2 and not self._unsure
        if (ours and not waits) or (holder != self._router and until > now):
            return []
        self._unsure, unsure = True, self._unsure

        def take(connection: apsw.Connection) -> list[tuple[Any, ...]]:
            now = self._clock.now()
            if not self._holds(connection, now, again=unsure):
                return []
            return rows(connection, "take", {"now": now, "limit": limit})

        found = await self._write(take)
        self._unsure = False
        return _fed(found)

    def _holds(self, connection: apsw.Connection, now: float, *, again: bool = False) -> bool:
        """Hold it from now on, unless another one does."""
        [(holder, until, _)] = rows(connection, "look_at_feed")
        if holder != self._router and until > now:
            return False
        if holder != self._router or again:
            run(connection, "untake")
        run(connection, "hold_feed", {"router": self._router, "until": now + LEASE})
        return True

    async def _ring_or(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._rung.wait()
        except TimeoutError:
            # A ring may be lost; then it is time to look.
            return

    async def _write(self, operation: Callable[[apsw.Connection], Result]) -> Result:
        # A power cut undoes the latest of these together, so nothing is settled that was not noted in the same file.
        return await self._in_time(self._database.write(operation, durable=False))

    async def _in_time(self, asked: Awaitable[Result]) -> Result:
        return await in_time(self._database, self._deadline, asked, _COMFORT)


def _fed(found: list[tuple[Any, ...]]) -> list[Fed]:
    """Rows as events, in the order in which they were written."""
    return [
        Fed(job=job, position=Position(epoch, seq), kind=kind, body=body, at=at, shard=0, place=str(place))
        for place, job, epoch, seq, kind, body, at in sorted(found)
    ]
