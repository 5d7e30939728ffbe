"""Which alerts there are, on SQLite."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import apsw

from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.patience import in_time
from goatherd.adapters.sqlite.queries import rows, run
from goatherd.ports.alerts import BoardLook
from goatherd.ports.clock import Clock

Result = TypeVar("Result")

#: Told when the file does not answer.
_COMFORT = "Alerts are told all the same, perhaps twice."


class SqliteAlertBoard:
    """Satisfies `AlertBoard`."""

    def __init__(
        self, database: Database, clock: Clock, app: str, *, deadline: float, give_back: Callable[[], Awaitable[None]]
    ) -> None:
        self._database = database
        self._app = app
        self._clock = clock
        self._deadline = deadline
        self._give_back = give_back
        self._closed = False

    async def look(self) -> BoardLook:
        whose = {"app": self._app}
        found = await self._in_time(self._database.read(lambda connection: rows(connection, "look_at_alerts", whose)))
        rev, text = found[0] if found else (0, b"")
        return BoardLook(now=self._clock.now(), rev=rev, text=text)

    async def write(self, rev: int, text: bytes) -> bool:
        def change(connection: apsw.Connection) -> bool:
            return run(connection, "write_alerts", {"app": self._app, "rev": rev, "text": text}) > 0

        return await self._in_time(self._database.write(change))

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._give_back()

    async def _in_time(self, asked: Awaitable[Result]) -> Result:
        return await in_time(self._database, self._deadline, asked, _COMFORT)
