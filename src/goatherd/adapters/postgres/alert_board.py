"""Which alerts there are, on PostgreSQL."""

from collections.abc import Callable

from goatherd.adapters.postgres.lane_arrays import micros
from goatherd.adapters.postgres.pool import Pool
from goatherd.ports.alerts import BoardLook

_LOOK = """
    SELECT (goatherd.clock(%s::bigint) / 1000000.0)::float8, coalesce(b.rev, 0), coalesce(b.text, '')
    FROM (SELECT 1) one LEFT JOIN goatherd.alert_board b ON b.app = %s
"""
_BEGIN = """
    WITH written AS (
        INSERT INTO goatherd.alert_board (app, rev, text) VALUES (%s, 1, %s) ON CONFLICT DO NOTHING RETURNING 1
    )
    SELECT count(*) FROM written
"""
_WRITE = """
    WITH written AS (
        UPDATE goatherd.alert_board SET rev = rev + 1, text = %s WHERE app = %s AND rev = %s RETURNING 1
    )
    SELECT count(*) FROM written
"""


class PostgresAlertBoard:
    """Satisfies `AlertBoard`."""

    def __init__(self, pool: Pool, app: str, now: Callable[[], float] | None = None) -> None:
        self._pool = pool
        self._app = app
        self._now = now

    async def look(self) -> BoardLook:
        [[now, rev, text]] = await self._pool.run(_LOOK, (self._time(), self._app))
        return BoardLook(now=now, rev=rev, text=bytes(text))

    async def write(self, rev: int, text: bytes) -> bool:
        if rev:
            [[written]] = await self._pool.run(_WRITE, (text, self._app, rev))
        else:
            [[written]] = await self._pool.run(_BEGIN, (self._app, text))
        return bool(written)

    async def close(self) -> None:
        await self._pool.close()

    def _time(self) -> int | None:
        return None if self._now is None else micros(self._now())
