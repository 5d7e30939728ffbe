"""The history of tracked jobs on SQLite."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import apsw

from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.history_writing import HistoryWriting, find
from goatherd.adapters.sqlite.patience import in_time
from goatherd.adapters.sqlite.queries import rows, value
from goatherd.model.job_order import number_of
from goatherd.model.job_record import JobNote, JobRecord

Result = TypeVar("Result")

#: Told when the file does not answer.
_COMFORT = "Try again: what was written all the same is not written twice."


class SqliteHistory:
    """Satisfies `JobHistory`."""

    def __init__(self, database: Database, *, deadline: float, give_back: Callable[[], Awaitable[None]]) -> None:
        self._database = database
        self._deadline = deadline
        self._give_back = give_back
        self._closed = False

    async def note(self, notes: Sequence[JobNote]) -> None:
        await self._in_time(self._database.write(lambda connection: HistoryWriting(connection).note(notes)))

    async def find(self, job_id: str) -> JobRecord | None:
        kept = await self._in_time(self._database.read(lambda connection: find(connection, job_id)))
        return None if kept is None else kept.record

    async def drop(self, before: float, limit: int) -> int:
        row = {"place": number_of(before), "before": before, "limit": limit}

        def drop(connection: apsw.Connection) -> int:
            return HistoryWriting(connection).drop(rows(connection, "old_records", row))

        return await self._in_time(self._database.write(drop, durable=False))

    async def drop_beyond(self, most: int, limit: int) -> int:
        def drop(connection: apsw.Connection) -> int:
            beyond = min(limit, value(connection, "count_all") - most)
            if beyond <= 0:
                return 0
            return HistoryWriting(connection).drop(rows(connection, "oldest_records", {"limit": beyond}))

        return await self._in_time(self._database.write(drop, durable=False))

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._give_back()

    async def _in_time(self, asked: Awaitable[Result]) -> Result:
        return await in_time(self._database, self._deadline, asked, _COMFORT)
