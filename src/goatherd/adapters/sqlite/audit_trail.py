"""What operators did, on SQLite."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from goatherd.adapters.audit_rows import entry_in, values_of, wanted
from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.patience import in_time
from goatherd.adapters.sqlite.queries import rows, run
from goatherd.model.audit import AuditEntry, AuditFilter, AuditPlace

Result = TypeVar("Result")

#: Told when the file does not answer.
_COMFORT = "Try again: what was written all the same is not written twice."


class SqliteAuditTrail:
    """Satisfies `AuditTrail`."""

    def __init__(
        self, database: Database, app: str, *, deadline: float, give_back: Callable[[], Awaitable[None]]
    ) -> None:
        self._database = database
        self._app = app
        self._deadline = deadline
        self._give_back = give_back
        self._closed = False

    async def note(self, entry: AuditEntry) -> None:
        row = (self._app, *values_of(entry))
        await self._in_time(self._database.write(lambda connection: run(connection, "note_deed", row)))

    async def find(self, choice: AuditFilter, limit: int, before: AuditPlace | None = None) -> Sequence[AuditEntry]:
        choices = {"app": self._app, **wanted(choice, before, limit)}
        # Where it is no writer who waits, for a text that is rare in a long log is looked for in all of it.
        reader = self._database.reader
        found = await reader.read(lambda connection: rows(connection, "find_deeds", choices), self._deadline)
        return [entry_in(row) for row in found]

    async def prune(self, before: float, limit: int) -> int:
        old = {"app": self._app, "before": before, "limit": limit}
        return await self._in_time(self._database.write(lambda connection: run(connection, "prune_deeds", old)))

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._give_back()

    async def _in_time(self, asked: Awaitable[Result]) -> Result:
        return await in_time(self._database, self._deadline, asked, _COMFORT)
