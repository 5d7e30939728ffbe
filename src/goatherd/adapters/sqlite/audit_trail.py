"""What operators did, on SQLite."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from goatherd.adapters.audit_rows import entry_in, searched, values_of
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
        wanted = {
            "app": self._app,
            "who": choice.who,
            "action": choice.action,
            "target": choice.target,
            "text": searched(choice.text),
            "since": choice.since,
            "until": choice.until,
            "before_at": None if before is None else before.at,
            "before_id": None if before is None else before.id,
            "limit": limit,
        }
        found = await self._in_time(self._database.read(lambda connection: rows(connection, "find_deeds", wanted)))
        return [entry_in(row) for row in found]

    async def prune(self, before: float, limit: int) -> int:
        wanted = {"app": self._app, "before": before, "limit": limit}
        return await self._in_time(self._database.write(lambda connection: run(connection, "prune_deeds", wanted)))

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._give_back()

    async def _in_time(self, asked: Awaitable[Result]) -> Result:
        return await in_time(self._database, self._deadline, asked, _COMFORT)
