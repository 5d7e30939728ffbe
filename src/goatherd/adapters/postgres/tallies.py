"""The tallies port on PostgreSQL: every call is one statement, which calls a function of the schema."""

import random
from collections.abc import Callable, Sequence

import psycopg

from goatherd.adapters.postgres.bell import Bell
from goatherd.adapters.postgres.lane_arrays import micros, of_items, seconds
from goatherd.adapters.postgres.pool import Pool
from goatherd.errors import Unavailable
from goatherd.model.lane import LaneItem
from goatherd.model.tally import LARGEST, REMEMBERED_FOR, Batch, Sealed, too_large, unconditional

_ADD = "SELECT goatherd.tally_add(%s, %s, %s, %s::bigint, %s::text, %s::bigint, %s::bigint, %s::bigint)"
_FORGET = "SELECT goatherd.tally_forget(%s::bigint, %s::bigint)"
_SEAL = "SELECT * FROM goatherd.tally_seal(%s, %s, %s::bigint, %s::bigint, %s::bigint)"
_POST = """
    SELECT put, rings FROM goatherd.tally_post(
        %s, %s, %s::text[], %s::bigint[], %s::text[], %s::text[], %s::text[], %s::bytea[], %s::text[], %s::bigint)
"""
_DONE = "SELECT goatherd.tally_drop(%s, %s, %s::text[], %s::bigint[])"
_WAITING = """
    SELECT count(*), coalesce(sum(k.total + coalesce(k.apart, 0)), 0)::text FROM goatherd.tally_key k
    WHERE k.app = %s AND k.tally = %s
"""
#: Ids that are forgotten at once, with one of so many that are remembered: more than come.
FORGOTTEN_AT_ONCE, FORGET_ONE_IN = 500, 100


class PostgresTallies:
    """Satisfies `Tallies`."""

    def __init__(self, pool: Pool, app: str, deadline: float, now: Callable[[], float] | None = None) -> None:
        self._pool = pool
        self._app = app
        self._bell = Bell(pool, app, deadline)
        self._now = now

    async def add(self, tally: str, key: str, amount: int, id: str | None = None) -> bool:
        parameters = (self._app, tally, key, amount, id, LARGEST, micros(REMEMBERED_FOR), self._time())
        try:
            [[told]] = await self._pool.run(_ADD, parameters, again=id is not None)
        except Unavailable as error:
            if isinstance(error.__cause__, psycopg.errors.NumericValueOutOfRange):
                raise too_large(tally, key, amount) from error
            raise
        if id is not None and random.randrange(FORGET_ONE_IN) == 0:
            await self._pool.run(_FORGET, (FORGOTTEN_AT_ONCE, self._time()))
        return bool(told)

    async def seal(self, tally: str, every: float, limit: int) -> Sealed:
        parameters = (self._app, tally, micros(every), max(1, limit), self._time())
        (next_due, *_), *batches = await self._pool.run(_SEAL, parameters)
        return Sealed(
            batches=[Batch(key=key, seq=seq, total=total) for _, key, seq, total in batches],
            next_due=seconds(next_due),
        )

    async def post(self, tally: str, batches: Sequence[tuple[Batch, LaneItem]]) -> int:
        if not batches:
            return 0
        keys, seqs = _told([batch for batch, _ in batches])
        ids, lanes, queues, contents, policies, *_ = of_items([unconditional(item) for _, item in batches])
        parameters = (self._app, tally, keys, seqs, ids, lanes, queues, contents, policies, self._time())
        [[put, rings]] = await self._pool.run(_POST, parameters)
        self._bell.ring(rings or ())
        return int(put)

    async def done(self, tally: str, batches: Sequence[Batch]) -> None:
        await self._pool.run(_DONE, (self._app, tally, *_told(batches)))

    async def waiting(self, tally: str) -> tuple[int, int]:
        [[keys, total]] = await self._pool.run(_WAITING, (self._app, tally))
        return keys, int(total)

    async def close(self) -> None:
        await self._bell.close()
        await self._pool.close()

    def _time(self) -> int | None:
        return None if self._now is None else micros(self._now())


def _told(batches: Sequence[Batch]) -> tuple[list[str], list[int]]:
    return [batch.key for batch in batches], [batch.seq for batch in batches]
