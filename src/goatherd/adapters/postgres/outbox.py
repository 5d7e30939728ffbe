"""The outbox on PostgreSQL.

What a relay sends it has locked, in a transaction that ends when the rows are gone: if it dies, the server lets go of
them at once, and if it is frozen, after a while. Lanes are divided into parts, each with an advisory lock, for it would
not do to skip the locked rows of a lane and send those behind them.
"""

import hashlib
import random
from collections.abc import Sequence
from typing import Any

import psycopg

from goatherd.adapters.postgres.connection import Connection
from goatherd.adapters.postgres.pool import Pool
from goatherd.adapters.postgres.store import THIS_STORE, name_of_store
from goatherd.model.outbox import SHARDS, OutboxJob, OutboxRow, packed, unpacked
from goatherd.model.statement import Statement
from goatherd.ports.outbox import SendRows

#: Without `::`, which not every library of the users takes for what it is. The number of rows is 0 elsewhere.
_PUT = f"""
    WITH put AS (
        INSERT INTO goatherd.outbox (app, shard, content)
        SELECT CAST(%s AS text), told.shard, told.content
        FROM unnest(CAST(%s AS smallint[]), CAST(%s AS bytea[])) WITH ORDINALITY AS told (shard, content, at)
        WHERE ({THIS_STORE}) = CAST(%s AS text)
        ORDER BY told.at RETURNING 1
    ) SELECT count(*) FROM put
"""
_LOOK = """
    SELECT EXISTS (SELECT FROM goatherd.outbox WHERE app = %s AND shard IS NULL
                   AND due <= (SELECT goatherd.clock(NULL))),
           EXISTS (SELECT FROM goatherd.outbox WHERE app = %s AND shard IS NOT NULL)
"""
_LOOSE = """
    SELECT place, content FROM goatherd.outbox
    WHERE app = %s AND shard IS NULL AND due <= (SELECT goatherd.clock(NULL))
    ORDER BY due, place LIMIT %s FOR UPDATE SKIP LOCKED
"""
_SHARD = "SELECT goatherd.outbox_shard(%s, %s, %s, %s)"
_OF_SHARD = "SELECT place, content FROM goatherd.outbox WHERE app = %s AND shard = %s ORDER BY place LIMIT %s"
_REMOVE = "DELETE FROM goatherd.outbox WHERE place = ANY (%s)"
#: After half a second, and then each time after twice as long, up to a minute.
_POSTPONE = """
    UPDATE goatherd.outbox
    SET tries = tries + 1, due = goatherd.clock(NULL) + least(60000000, 500000 * 2 ^ least(tries, 10))::bigint
    WHERE place = ANY (%s)
"""
_COUNT = "SELECT count(*) FROM goatherd.outbox WHERE app = %s"


class PostgresOutbox:
    """Satisfies `Outbox`."""

    def __init__(self, pool: Pool, app: str) -> None:
        self._pool = pool
        self._app = app
        self._store = ""
        # Apps that share a database have locks of their own.
        self._lock = int.from_bytes(hashlib.sha256(f"goatherd outbox {app}".encode()).digest()[:4], signed=True)

    async def open(self) -> None:
        """Learn which database this is."""
        self._store = await name_of_store(self._pool)

    def statement(self, jobs: Sequence[OutboxJob]) -> Statement:
        shards, contents = [job.shard for job in jobs], [packed(job) for job in jobs]
        return Statement(_PUT, (self._app, shards, contents, self._store))

    async def look(self) -> tuple[bool, bool]:
        [[loose, laned]] = await self._pool.run(_LOOK, (self._app, self._app))
        return loose, laned

    async def relay(self, limit: int, send: SendRows) -> int:
        async def work(connection: Connection) -> int:
            rows = await _rows(connection, _LOOSE, (self._app, limit))
            await self._send(connection, rows, send, _POSTPONE)
            return len(rows)

        return await self._in_transaction(work)

    async def relay_lanes(self, limit: int, send: SendRows) -> int:
        async def work(connection: Connection) -> int:
            cursor = await connection.execute(_SHARD, (self._app, self._lock, SHARDS, random.randrange(SHARDS)))
            [shard] = await cursor.fetchone() or (None,)
            if shard is None:
                return 0
            rows = await _rows(connection, _OF_SHARD, (self._app, shard, limit))
            await self._send(connection, rows, send, None)
            return len(rows)

        return await self._in_transaction(work)

    async def waiting(self) -> int:
        [[count]] = await self._pool.run(_COUNT, (self._app,))
        return int(count)

    async def close(self) -> None:
        await self._pool.close()

    async def _in_transaction(self, work: Any) -> int:
        async def inside(connection: Connection) -> int:
            # Locks are of use only where a later statement sees what the former holder of the lock did.
            await connection.set_isolation_level(psycopg.IsolationLevel.READ_COMMITTED)
            async with connection.transaction():
                count: int = await work(connection)
                return count

        # Once: whoever has lost its connection in the middle does not know what was sent.
        return await self._pool.use(inside, again=False)

    async def _send(
        self, connection: Connection, rows: Sequence[OutboxRow], send: SendRows, otherwise: str | None
    ) -> None:
        if not rows:
            return
        sent = frozenset(await send(rows))
        if sent:
            await connection.execute(_REMOVE, ([row.place for row in rows if row.place in sent],), prepare=True)
        left = [row.place for row in rows if row.place not in sent]
        if left and otherwise is not None:
            await connection.execute(otherwise.encode(), (left,))


async def _rows(connection: Connection, sql: Any, parameters: Sequence[Any]) -> list[OutboxRow]:
    cursor = connection.cursor(binary=True)
    await cursor.execute(sql, parameters, prepare=True)
    return [OutboxRow(place=place, job=unpacked(content)) for place, content in await cursor.fetchall()]
