"""The tallies port on SQLite: each call is one transaction, also the one that makes jobs of totals."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import apsw

from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.lanes_bells import LaneChanges
from goatherd.adapters.sqlite.lanes_entry import enter
from goatherd.adapters.sqlite.lanes_step import Step
from goatherd.adapters.sqlite.patience import in_time
from goatherd.adapters.sqlite.queries import rows, run, value
from goatherd.model.lane import LaneItem
from goatherd.model.tally import LARGEST, REMEMBERED_FOR, Batch, Sealed, too_large, unconditional
from goatherd.ports.clock import Clock

Result = TypeVar("Result")

#: Ids that are forgotten with each one that is remembered.
FORGOTTEN_AT_ONCE = 2
#: Told when the file does not answer.
_COMFORT = "Try again: what was done all the same is not done twice."
_UNKNOWN = "Nobody knows whether it was counted; an addition with an id= can be tried again."


class SqliteTallies:
    """Satisfies `Tallies`."""

    def __init__(
        self, database: Database, clock: Clock, *, deadline: float, give_back: Callable[[], Awaitable[None]]
    ) -> None:
        self._database = database
        self._clock = clock
        self._deadline = deadline
        self._give_back = give_back
        self._changes = LaneChanges(database, clock)
        self._closed = False

    async def add(self, tally: str, key: str, amount: int, id: str | None = None) -> bool:
        def count(connection: apsw.Connection) -> bool:
            if id is not None and not _remembered(connection, tally, id, self._clock.now()):
                return False
            total = value(connection, "add_to_key", {"tally": tally, "key": key, "amount": amount})
            if abs(total) > LARGEST:
                raise too_large(tally, key, amount)
            if total == 0:
                run(connection, "drop_empty_key", (tally, key))
            return True

        return await self._in_time(self._database.write(count), _UNKNOWN if id is None else _COMFORT)

    async def seal(self, tally: str, every: float, limit: int) -> Sealed:
        def set_apart(connection: apsw.Connection) -> Sealed:
            now = self._clock.now()
            left = _set_totals_apart(connection, tally, every, limit, now)
            kept = rows(connection, "oldest_batches", (tally, limit))
            batches = [Batch(key=key, seq=seq, total=total) for key, seq, total in kept]
            return Sealed(batches=batches, next_due=left)

        return await self._in_time(self._database.write(set_apart))

    async def post(self, tally: str, batches: Sequence[tuple[Batch, LaneItem]]) -> int:
        def put(step: Step) -> int:
            items = [unconditional(item) for batch, item in batches if _taken(step.connection, tally, batch)]
            enter(step, items)
            return len(items)

        return await self._in_time(self._changes.make(put))

    async def done(self, tally: str, batches: Sequence[Batch]) -> None:
        def forget(connection: apsw.Connection) -> None:
            for batch in batches:
                _taken(connection, tally, batch)

        await self._in_time(self._database.write(forget))

    async def waiting(self, tally: str) -> tuple[int, int]:
        kept = await self._in_time(self._database.read(lambda connection: rows(connection, "sums_of_tally", (tally,))))
        return len(kept), sum(total + (apart or 0) for total, apart in kept)

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self._changes.close()
        await self._give_back()

    async def _in_time(self, asked: Awaitable[Result], comfort: str = _COMFORT) -> Result:
        return await in_time(self._database, self._deadline, asked, comfort)


def _remembered(connection: apsw.Connection, tally: str, id: str, now: float) -> bool:
    """Remember an addition; false if that was done before."""
    run(connection, "forget_addition_ids", (now, FORGOTTEN_AT_ONCE))
    return (
        run(connection, "remember_addition", {"tally": tally, "id": id, "until": now + REMEMBERED_FOR, "now": now}) > 0
    )


def _set_totals_apart(connection: apsw.Connection, tally: str, every: float, limit: int, now: float) -> float:
    """Go on with the round, or begin one if it is time; tells in how many seconds the next may begin."""
    found = rows(connection, "tally_state", (tally,))
    round, began, mark = found[0] if found else (0, 0.0, 0)
    # A clock that was set back does not stop it for long.
    if not began <= now < began + every:
        round, began = round + 1, now
    room = max(0, limit - value(connection, "count_batches", (tally, limit)))
    keys = rows(connection, "keys_of_round", (tally, round, room + 1))
    for (key,) in keys[:room]:
        mark = max(mark + 1, int(now * 1_000_000))
        run(connection, "set_total_apart", (mark, tally, key))
    if not found or found[0] != (round, began, mark):
        run(connection, "set_tally_state", (tally, round, began, mark))
    return 0.0 if len(keys) > room else max(0.0, began + every - now)


def _taken(connection: apsw.Connection, tally: str, batch: Batch) -> bool:
    """Forget a batch; false if it was not there."""
    there = run(connection, "drop_batch", (tally, batch.key, batch.seq)) > 0
    if there:
        run(connection, "drop_empty_key", (tally, batch.key))
    return there
