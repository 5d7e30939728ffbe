"""What operators did, on PostgreSQL."""

from collections.abc import Sequence

from goatherd.adapters.audit_rows import entry_in, values_of, wanted
from goatherd.adapters.postgres.pool import Pool
from goatherd.model.audit import AuditEntry, AuditFilter, AuditPlace

_NOTE = """
    INSERT INTO goatherd.audit (app, id, at, who, role, address, action, target, details, outcome, words)
    VALUES (%s, %s, %s::float8, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (app, id) DO NOTHING
"""
_FIND = """
    SELECT id, at, who, role, address, action, target, details, outcome
    FROM goatherd.audit
    WHERE app = %(app)s
      AND at >= coalesce(%(since)s::float8, '-infinity') AND at < coalesce(%(until)s::float8, 'infinity')
      AND (%(before_at)s::float8 IS NULL OR (at, id) < (%(before_at)s::float8, %(before_id)s::text))
      AND (%(who)s::text IS NULL OR who = %(who)s::text)
      AND (%(action)s::text IS NULL OR action = %(action)s::text)
      AND (%(target)s::text IS NULL OR target = %(target)s::text)
      AND (%(text)s::text = '' OR position(%(text)s::text IN words) > 0)
    ORDER BY at DESC, id DESC LIMIT %(limit)s
"""
_PRUNE = """
    WITH old AS (
        DELETE FROM goatherd.audit WHERE ctid = ANY (ARRAY(
            SELECT o.ctid FROM goatherd.audit o WHERE o.app = %s AND o.at < %s::float8
            ORDER BY o.at LIMIT %s FOR UPDATE SKIP LOCKED
        )) RETURNING 1
    ) SELECT count(*) FROM old
"""


class PostgresAuditTrail:
    """Satisfies `AuditTrail`."""

    def __init__(self, pool: Pool, app: str) -> None:
        self._pool = pool
        self._app = app

    async def note(self, entry: AuditEntry) -> None:
        await self._pool.run(_NOTE, (self._app, *values_of(entry)))

    async def find(self, choice: AuditFilter, limit: int, before: AuditPlace | None = None) -> Sequence[AuditEntry]:
        choices = {"app": self._app, **wanted(choice, before, limit)}
        return [entry_in(row) for row in await self._pool.run(_FIND, choices)]

    async def prune(self, before: float, limit: int) -> int:
        [[pruned]] = await self._pool.run(_PRUNE, (self._app, before, limit))
        return int(pruned)

    async def close(self) -> None:
        await self._pool.close()
