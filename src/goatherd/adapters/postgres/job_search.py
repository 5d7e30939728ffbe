"""Jobs are found in the history on PostgreSQL."""

from collections.abc import Mapping, Sequence

from goatherd.adapters.postgres.connection import Connection
from goatherd.adapters.postgres.job_finding import Finding
from goatherd.adapters.postgres.job_search_sql import COUNTS, FOUND, TASKS
from goatherd.adapters.postgres.pool import Pool
from goatherd.adapters.record_rows import LISTED, found_in
from goatherd.model.job_search import LARGEST_PAGE, JobFilter, JobPage, JobPlace
from goatherd.model.job_state import Status

_FOUND = FOUND.format(listed=", ".join(f"history.{name}" for name in LISTED)).encode()


class PostgresJobSearch:
    """Satisfies `JobSearch`."""

    def __init__(self, pool: Pool, prefix: str) -> None:
        self._pool = pool
        self._prefix = prefix

    async def search(self, choice: JobFilter, limit: int, before: JobPlace | None = None) -> JobPage:
        limit = max(1, min(limit, LARGEST_PAGE))

        async def look(connection: Connection) -> JobPage:
            # One more tells whether there is another page.
            places = await Finding(connection, self._prefix, choice, before).places(limit + 1)
            shown = places[:limit]
            wanted = {
                "prefix": self._prefix,
                "numbers": [number for number, _ in shown],
                "jobs": [job for _, job in shown],
            }
            cursor = connection.cursor(binary=True)
            await cursor.execute(_FOUND, wanted, prepare=True)
            jobs = [found_in(row) for row in await cursor.fetchall()]
            return JobPage(jobs=jobs, next=JobPlace(*shown[-1]) if len(places) > limit else None)

        return await self._pool.use(look)

    async def counts(self) -> Mapping[Status, int]:
        return dict(await self._pool.run(COUNTS, (self._prefix,)))

    async def tasks(self) -> Sequence[str]:
        return [task for [task] in await self._pool.run(TASKS, (self._prefix,))]

    async def close(self) -> None:
        await self._pool.close()
