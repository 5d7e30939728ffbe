"""The history of tracked jobs on PostgreSQL.

What notes change is decided here and not by the server, so it is read first. If somebody else writes the same jobs
meanwhile, the server says so instead of writing, and all is read anew: nobody waits for a lock while somebody thinks.
"""

import random
from collections.abc import Iterable, Sequence

import psycopg

from goatherd.adapters.postgres.connection import Connection
from goatherd.adapters.postgres.history_changes import Changes, Kept, kept_facet
from goatherd.adapters.postgres.history_sql import (
    ADD_FACETS,
    COUNT_ALL,
    DROP_OLD,
    DROP_OLDEST,
    FIND,
    FIND_FACETS,
    SUM_UP,
    WRITE,
)
from goatherd.adapters.postgres.pool import Pool
from goatherd.adapters.postgres.texts import key_of
from goatherd.adapters.record_rows import Facet, record_in
from goatherd.errors import Unavailable
from goatherd.model.job_order import number_of
from goatherd.model.job_record import JobNote, JobRecord, records_after

#: Counts that are left by those who write, on the average, before somebody sums them up.
_SUMMED_UP = 1000
#: Kinds of jobs that are remembered from one step to the next: where every customer has a queue, there are many.
_MOST_FACETS = 20_000


class PostgresHistory:
    """Satisfies `JobHistory`."""

    def __init__(self, pool: Pool, prefix: str) -> None:
        self._pool = pool
        self._prefix = prefix
        #: Those that are known to be on record, where they stay.
        self._facets: dict[Facet, int] = {}

    async def note(self, notes: Sequence[JobNote]) -> None:
        if not notes:
            return

        async def write(connection: Connection) -> int:
            # In one that sees the state of one moment, to write what others wrote after it is an error, upon which the
            # pool calls this again.
            await connection.set_isolation_level(psycopg.IsolationLevel.REPEATABLE_READ)
            return await self._write(connection, notes)

        try:
            counts = await self._pool.use(write)
        except Unavailable as error:
            if isinstance(error.__cause__, psycopg.DataError):
                # Trying again is of no use.
                raise ValueError(f"What was told of jobs cannot be kept by PostgreSQL: {error.__cause__}") from error
            raise
        if random.randrange(_SUMMED_UP) < counts:
            await self._pool.run(SUM_UP)

    async def find(self, job_id: str) -> JobRecord | None:
        found = await self._pool.use(lambda connection: self._known(connection, [job_id]))
        return found[job_id].record if job_id in found else None

    async def drop(self, before: float, limit: int) -> int:
        [[dropped]] = await self._pool.run(DROP_OLD, (self._prefix, number_of(before), before, limit))
        return int(dropped)

    async def drop_beyond(self, most: int, limit: int) -> int:
        [[known]] = await self._pool.run(COUNT_ALL, (self._prefix,))
        beyond = min(limit, known - most)
        if beyond <= 0:
            return 0
        [[dropped]] = await self._pool.run(DROP_OLDEST, (self._prefix, beyond))
        return int(dropped)

    async def close(self) -> None:
        await self._pool.close()

    async def _write(self, connection: Connection, notes: Sequence[JobNote]) -> int:
        """Tells how many counts were left."""
        if len(self._facets) > _MOST_FACETS:
            self._facets.clear()
        await self._learn_facets(connection, {kept_facet(record) for record in records_after(notes, {})})
        async with connection.transaction():
            known = await self._known(connection, {note.job for note in notes})
            self._facets.update({kept_facet(each.record): each.facet for each in known.values()})
            changed = records_after(notes, {job: each.record for job, each in known.items()})
            if not changed:
                return 0
            changes = Changes(known, self._facets)
            for record in changed:
                changes.add(record)
            await connection.execute(WRITE, changes.parameters(self._prefix), prepare=True)
            return changes.counts

    async def _known(self, connection: Connection, jobs: Iterable[str]) -> dict[str, Kept]:
        keys = {key_of(job): job for job in jobs}
        cursor = connection.cursor(binary=True)
        await cursor.execute(FIND, (self._prefix, [*keys]), prepare=True)
        return {
            keys[key]: Kept(record_in(keys[key], row, (task, queue, kind)), number, facet)
            for key, number, facet, task, queue, kind, *row in await cursor.fetchall()
        }

    async def _learn_facets(self, connection: Connection, facets: Iterable[Facet]) -> None:
        """See that they are on record, before and apart from what is written with them."""
        new = sorted(facet for facet in facets if facet not in self._facets)
        if not new:
            return
        columns = [list(column) for column in zip(*new, strict=True)]
        await connection.execute(ADD_FACETS, (self._prefix, *columns))
        cursor = await connection.execute(FIND_FACETS, (*columns, self._prefix))
        self._facets.update({Facet(*told): facet for *told, facet in await cursor.fetchall()})
