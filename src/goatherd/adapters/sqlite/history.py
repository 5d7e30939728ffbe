"""The history of tracked jobs on SQLite."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import apsw
import msgspec

from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.queries import rows, run
from goatherd.errors import Unavailable
from goatherd.model.job_record import JobNote, JobRecord, noted
from goatherd.model.job_state import JobState

Result = TypeVar("Result")

_STATE = JobState.__struct_fields__


class SqliteHistory:
    """Satisfies `JobHistory`."""

    def __init__(self, database: Database, *, deadline: float, give_back: Callable[[], Awaitable[None]]) -> None:
        self._database = database
        self._deadline = deadline
        self._give_back = give_back
        self._closed = False

    async def note(self, notes: Sequence[JobNote]) -> None:
        def write(connection: apsw.Connection) -> None:
            for note in notes:
                record = noted(_find(connection, note.job), note)
                if record is not None:
                    run(connection, "write_record", _row(record))

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
        try:
            async with asyncio.timeout(self._deadline):
                return await asked
        except TimeoutError as error:
            raise Unavailable(
                f"The file {self._database.path} did not answer within {self._deadline:g} s; is its disk overloaded? "
                f"Try again: what was written all the same is not written twice."
            ) from error


def _find(connection: apsw.Connection, job: str) -> JobRecord | None:
    for row in rows(connection, "find_record", (job,)):
        fields: dict[str, Any] = dict(zip(_STATE, row, strict=False))
        fields["closed"] = bool(fields["closed"])
        at, queued_at, started_at, ended_at = row[len(_STATE) :]
        return JobRecord(
            job=job, state=JobState(**fields), at=at, queued_at=queued_at, started_at=started_at, ended_at=ended_at
        )
    return None


def _row(record: JobRecord) -> tuple[Any, ...]:
    state = msgspec.structs.astuple(record.state)
    return (record.job, *state, record.at, record.queued_at, record.started_at, record.ended_at)
