"""How the listeners of all processes stand, on PostgreSQL."""

from collections.abc import Callable, Sequence
from typing import Any

from goatherd.adapters.listener_rows import read_row, values_of
from goatherd.adapters.postgres.lane_arrays import micros
from goatherd.adapters.postgres.pool import Pool
from goatherd.model.listener import ListenerRow

_REPORT = """
    SELECT goatherd.listener_report(
        %s::text, %s::text, %s::bigint, %s::bigint, %s::text[],
        %s::text[], %s::text[], %s::text[], %s::float8[], %s::int[], %s::int[], %s::text[], %s::float8[])
"""
_FIND = """
    SELECT l.process, l.queue, l.pattern, l.condition, l.since, l.restarts, l.failures, l.why, l.last_delivery,
           (n.now - p.seen) / 1000000.0::float8
    FROM (SELECT goatherd.clock(%s::bigint) AS now) n, goatherd.listener l
    JOIN goatherd.listening_process p ON p.app = l.app AND p.process = l.process
    WHERE l.app = %s AND p.until >= n.now
      AND (%s::text IS NULL OR l.pattern = %s::text)
      AND (NOT %s::boolean OR l.condition NOT IN ('running', 'paused', 'stopped'))
    ORDER BY l.condition IN ('running', 'paused', 'stopped'), l.queue, l.process LIMIT %s
"""
_RESTART = """
    WITH wanted AS (
        UPDATE goatherd.listener l SET wanted = true
        FROM goatherd.listening_process p
        WHERE l.app = %s AND l.queue = %s AND p.app = l.app AND p.process = l.process
          AND p.until >= goatherd.clock(%s::bigint)
        RETURNING 1
    )
    SELECT count(*) FROM wanted
"""
_LEAVE = "DELETE FROM goatherd.listening_process WHERE app = %s AND process = %s"

#: Values of a listener.
_COLUMNS = 8


class PostgresListenerRecords:
    """Satisfies `ListenerRecords`."""

    def __init__(self, pool: Pool, app: str, now: Callable[[], float] | None = None) -> None:
        self._pool = pool
        self._app = app
        self._now = now

    async def report(
        self, process: str, rows: Sequence[ListenerRow], gone: Sequence[str], alive: float
    ) -> Sequence[str]:
        told = [values_of(row) for row in rows]
        columns: list[list[Any]] = [[values[at] for values in told] for at in range(_COLUMNS)]
        who = (self._app, process, micros(alive), self._time(), list(gone))
        [[restart]] = await self._pool.run(_REPORT, (*who, *columns))
        return [str(queue) for queue in restart]

    async def find(
        self, *, pattern: str | None = None, unhealthy: bool = False, limit: int = 1000
    ) -> Sequence[ListenerRow]:
        choice = (self._time(), self._app, pattern, pattern, unhealthy, limit)
        return [read_row(row) for row in await self._pool.run(_FIND, choice)]

    async def restart(self, queue: str) -> int:
        [[count]] = await self._pool.run(_RESTART, (self._app, queue, self._time()))
        return int(count)

    async def leave(self, process: str) -> None:
        await self._pool.run(_LEAVE, (self._app, process))

    async def close(self) -> None:
        await self._pool.close()

    def _time(self) -> int | None:
        return None if self._now is None else micros(self._now())
