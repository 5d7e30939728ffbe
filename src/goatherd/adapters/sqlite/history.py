"""The history of tracked jobs on SQLite."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import apsw

from goatherd.adapters.record_rows import record_in, row_of
from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.patience import in_time
from goatherd.adapters.sqlite.queries import rows, run
from goatherd.model.job_record import JobNote, JobRecord, records_after

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
        def write(connection: apsw.Connection) -> None:
            known = {job: _find(connection, job) for job in {note.job for note in notes}}
            for record in records_after(notes, known):
                run(connection, "write_record", (record.job, *row_of(record)))

        await self._in_time(self._database.write(write))

    async def find(self, job_id: str) -> JobRecord | None:
        return await self._in_time(self._database.read(lambda connection: _find(connection, job_id)))

    async def drop(self, before: float, limit: int) -> int:
        row = {"before": before, "limit": limit}
        return await self._in_time(
            self._database.write(lambda connection: run(connection, "drop_records", row), durable=False)
        )

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._give_back()

    async def _in_time(self, asked: Awaitable[Result]) -> Result:
        return await in_time(self._database, self._deadline, asked, _COMFORT)


def _find(connection: apsw.Connection, job: str) -> JobRecord | None:
    for row in rows(connection, "find_record", (job,)):
        return record_in(job, row)
    return None
