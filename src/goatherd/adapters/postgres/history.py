"""The history of tracked jobs on PostgreSQL.

What notes change is decided here and not by the server, so it is read first. If somebody else writes the same jobs
meanwhile, the server says so instead of writing, and all is read anew: nobody waits for a lock while somebody thinks.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import psycopg

from goatherd.adapters.postgres.connection import Connection
from goatherd.adapters.postgres.pool import Pool, Row
from goatherd.adapters.record_rows import COLUMNS, record_in, row_of
from goatherd.errors import Unavailable
from goatherd.model.job_record import JobNote, JobRecord, records_after

#: How the server is to read the arrays of `row_of`.
_TYPES = (
    "text", "bigint", "text", "bigint", "text", "float8", "bytea", "text", "text", "text", "boolean",
    "float8", "float8", "float8", "float8",
)  # fmt: skip
_NAMES = ", ".join(COLUMNS)
_FIND = f"SELECT job, {_NAMES} FROM goatherd.job_history WHERE prefix = %s AND job = ANY (%s::text[])"
_WRITE = f"""
    INSERT INTO goatherd.job_history (prefix, job, {_NAMES})
    SELECT %s, told.* FROM unnest(%s::text[], {", ".join(f"%s::{type}[]" for type in _TYPES)}) AS told
    ON CONFLICT (prefix, job) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in COLUMNS)}
"""
_DROP = """
    WITH dropped AS (
        DELETE FROM goatherd.job_history WHERE ctid = ANY (ARRAY(
            SELECT old.ctid FROM goatherd.job_history old WHERE old.prefix = %s AND old.at < %s::float8
            ORDER BY old.at LIMIT %s FOR UPDATE SKIP LOCKED
        )) RETURNING 1
    ) SELECT count(*) FROM dropped
"""
#: Bytes of an id that an index takes for certain.
_LONGEST = 1000


class PostgresHistory:
    """Satisfies `JobHistory`."""

    def __init__(self, pool: Pool, prefix: str) -> None:
        self._pool = pool
        self._prefix = prefix

    async def note(self, notes: Sequence[JobNote]) -> None:
        if not notes:
            return

        async def write(connection: Connection) -> None:
            # In one that sees the state of one moment, to write what others wrote after it is an error, upon which the
            # pool calls this again.
            await connection.set_isolation_level(psycopg.IsolationLevel.REPEATABLE_READ)
            async with connection.transaction():
                known = await self._known(connection, {note.job for note in notes})
                if changed := records_after(notes, known):
                    await connection.execute(_WRITE, (self._prefix, *_arrays(changed)), prepare=True)

        try:
            await self._pool.use(write)
        except Unavailable as error:
            if isinstance(error.__cause__, psycopg.DataError):
                # Trying again is of no use.
                raise ValueError(f"What was told of jobs cannot be kept by PostgreSQL: {error.__cause__}") from error
            raise

    async def find(self, job_id: str) -> JobRecord | None:
        for _, *row in await self._pool.run(_FIND, (self._prefix, [_key(job_id)])):
            return record_in(job_id, row)
        return None

    async def drop(self, before: float, limit: int) -> int:
        [[dropped]] = await self._pool.run(_DROP, (self._prefix, before, limit))
        return int(dropped)

    async def close(self) -> None:
        await self._pool.close()

    async def _known(self, connection: Connection, jobs: Iterable[str]) -> dict[str, JobRecord | None]:
        keys = {_key(job): job for job in jobs}
        cursor = connection.cursor(binary=True)
        await cursor.execute(_FIND, (self._prefix, [*keys]), prepare=True)
        return {keys[key]: record_in(keys[key], row) for key, *row in await cursor.fetchall()}


def _arrays(records: Iterable[JobRecord]) -> list[Sequence[Any]]:
    """One for each column, with the jobs in an order: of two who write the same, neither waits for the other."""
    rows: list[Row] = sorted((_key(record.job), *map(_kept, row_of(record))) for record in records)
    return [list(column) for column in zip(*rows, strict=True)]


def _key(job: str) -> str:
    """The id, or something as good for one of another program that is no text for PostgreSQL, or too long."""
    written = job.encode("utf-8", "surrogatepass")
    if len(written) <= _LONGEST and _kept(job) == job:
        return job
    return f"sha256:{hashlib.sha256(written).hexdigest()}"


def _kept(value: Any) -> Any:
    """A text without what PostgreSQL takes for none: zeros, and halves of characters."""
    if not isinstance(value, str):
        return value
    return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
