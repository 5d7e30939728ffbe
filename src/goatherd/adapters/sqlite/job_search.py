"""Jobs are found in the history on SQLite."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

import apsw
import msgspec

from goatherd.adapters.record_rows import found_in
from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.job_finding import Finding
from goatherd.adapters.sqlite.queries import rows
from goatherd.model.job_search import LARGEST_PAGE, JobFilter, JobPage, JobPlace
from goatherd.model.job_state import Status


class SqliteJobSearch:
    """Satisfies `JobSearch`."""

    def __init__(self, database: Database, *, deadline: float, give_back: Callable[[], Awaitable[None]]) -> None:
        self._reader = database.reader
        self._deadline = deadline
        self._give_back = give_back
        self._closed = False

    async def search(self, choice: JobFilter, limit: int, before: JobPlace | None = None) -> JobPage:
        limit = max(1, min(limit, LARGEST_PAGE))

        def look(connection: apsw.Connection) -> JobPage:
            # One more tells whether there is another page.
            places = Finding(connection, choice, before).places(limit + 1)
            shown = rows(connection, "found_jobs", {"places": msgspec.json.encode(places[:limit]).decode()})
            jobs = [found_in(row) for _, *row in shown]
            more = len(places) > limit
            return JobPage(jobs=jobs, next=JobPlace(places[limit - 1], jobs[-1].job) if more else None)

        return await self._reader.read(look, self._deadline)

    async def counts(self) -> Mapping[Status, int]:
        return dict(await self._reader.read(lambda connection: rows(connection, "status_counts"), self._deadline))

    async def tasks(self) -> Sequence[str]:
        found = await self._reader.read(lambda connection: rows(connection, "known_tasks"), self._deadline)
        return [task for [task] in found]

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._give_back()
