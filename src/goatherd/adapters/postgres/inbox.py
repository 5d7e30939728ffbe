"""Commands from outside, on PostgreSQL."""

from collections.abc import Callable, Sequence

from goatherd.adapters.postgres.lane_arrays import micros
from goatherd.adapters.postgres.pool import Pool
from goatherd.model.command import Command, StoredCommand

_STORE = """
    SELECT body, digest, sent, removed, ours FROM goatherd.command_store(
        %s, %s, %s::text[], %s::bytea[], %s::text[], %s::bigint, %s::bigint)
"""
#: Those that another is just taking over are left to it.
_TAKE_OVER = """
    WITH unheld AS (
        SELECT seq FROM goatherd.command
        WHERE app = %s AND inbox = %s AND NOT (sent AND removed) AND held <= goatherd.clock(%s::bigint)
        ORDER BY stored, place LIMIT %s FOR UPDATE SKIP LOCKED
    ), taken AS (
        UPDATE goatherd.command c SET held = goatherd.clock(%s::bigint) + %s::bigint FROM unheld u
        WHERE c.seq = u.seq RETURNING c.stored, c.place, c.key, c.body, c.digest, c.sent, c.removed
    )
    SELECT key, body, digest, sent, removed FROM taken ORDER BY stored, place
"""
_SENT = """
    UPDATE goatherd.command SET sent = true, body = '' WHERE app = %s AND inbox = %s AND key = ANY (%s::text[])
"""
_REMOVED = "UPDATE goatherd.command SET removed = true WHERE app = %s AND inbox = %s AND key = ANY (%s::text[])"
_FORGET = """
    WITH gone AS (
        DELETE FROM goatherd.command WHERE seq = ANY (ARRAY(
            SELECT o.seq FROM goatherd.command o
            WHERE o.app = %s AND o.stored <= goatherd.clock(%s::bigint) - %s::bigint AND o.sent AND o.removed
            ORDER BY o.stored LIMIT %s FOR UPDATE SKIP LOCKED
        )) RETURNING 1
    )
    SELECT count(*) FROM gone
"""


class PostgresInbox:
    """Satisfies `InboxRecords`."""

    def __init__(self, pool: Pool, app: str, now: Callable[[], float] | None = None) -> None:
        self._pool = pool
        self._app = app
        self._now = now

    async def store(self, inbox: str, commands: Sequence[Command], hold: float) -> Sequence[StoredCommand]:
        keys, bodies = [each.key for each in commands], [each.body for each in commands]
        digests = [each.digest for each in commands]
        parameters = (self._app, inbox, keys, bodies, digests, micros(hold), self._time())
        found = await self._pool.run(_STORE, parameters)
        return [
            StoredCommand(key=key, body=body, digest=digest, sent=sent, removed=removed, ours=ours)
            for key, (body, digest, sent, removed, ours) in zip(keys, found, strict=True)
        ]

    async def take_over(self, inbox: str, limit: int, hold: float) -> Sequence[StoredCommand]:
        now = self._time()
        found = await self._pool.run(_TAKE_OVER, (self._app, inbox, now, limit, now, micros(hold)))
        return [
            StoredCommand(key=key, body=body, digest=digest, sent=sent, removed=removed, ours=True)
            for key, body, digest, sent, removed in found
        ]

    async def sent(self, inbox: str, keys: Sequence[str]) -> None:
        await self._pool.run(_SENT, (self._app, inbox, list(keys)))

    async def removed(self, inbox: str, keys: Sequence[str]) -> None:
        await self._pool.run(_REMOVED, (self._app, inbox, list(keys)))

    async def forget(self, older_than: float, limit: int) -> int:
        [[count]] = await self._pool.run(_FORGET, (self._app, self._time(), micros(older_than), limit))
        return int(count)

    async def close(self) -> None:
        await self._pool.close()

    def _time(self) -> int | None:
        return None if self._now is None else micros(self._now())
