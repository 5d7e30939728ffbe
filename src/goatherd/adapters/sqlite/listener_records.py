"""How the listeners of all processes stand, on SQLite."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import apsw

from goatherd.adapters.listener_rows import read_row, values_of
from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.patience import in_time
from goatherd.adapters.sqlite.queries import rows as found_rows
from goatherd.adapters.sqlite.queries import run, run_many
from goatherd.model.listener import ListenerRow
from goatherd.ports.clock import Clock

Result = TypeVar("Result")

#: Told when the file does not answer.
_COMFORT = "Listening goes on; what is on record of it may be old."


class SqliteListenerRecords:
    """Satisfies `ListenerRecords`."""

    def __init__(
        self, database: Database, clock: Clock, *, deadline: float, give_back: Callable[[], Awaitable[None]]
    ) -> None:
        self._database = database
        self._clock = clock
        self._deadline = deadline
        self._give_back = give_back
        self._closed = False

    async def report(
        self, process: str, rows: Sequence[ListenerRow], gone: Sequence[str], alive: float
    ) -> Sequence[str]:
        def write(connection: apsw.Connection) -> list[str]:
            now = self._clock.now()
            run(connection, "hear_of_process", {"process": process, "now": now, "alive": alive})
            run(connection, "forget_dead_processes", {"now": now})
            run_many(connection, "forget_listener", [(process, queue) for queue in gone])
            run_many(connection, "write_listener", [(process, *values_of(row)) for row in rows])
            return [queue for (queue,) in found_rows(connection, "wanted_restarts", {"process": process})]

        # What is lost in a crash of the machine is reported again by those who live afterwards.
        return await self._in_time(self._database.write(write, durable=False))

    async def find(
        self, *, pattern: str | None = None, unhealthy: bool = False, limit: int = 1000
    ) -> Sequence[ListenerRow]:
        choice = {"now": self._clock.now(), "pattern": pattern, "unhealthy": unhealthy, "limit": limit}
        found = await self._in_time(
            self._database.read(lambda connection: found_rows(connection, "find_listeners", choice))
        )
        return [read_row(row) for row in found]

    async def restart(self, queue: str) -> int:
        wish = {"queue": queue, "now": self._clock.now()}
        return await self._in_time(self._database.write(lambda connection: run(connection, "want_restart", wish)))

    async def leave(self, process: str) -> None:
        await self._in_time(
            self._database.write(lambda connection: run(connection, "forget_process", (process,)), durable=False)
        )

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._give_back()

    async def _in_time(self, asked: Awaitable[Result]) -> Result:
        return await in_time(self._database, self._deadline, asked, _COMFORT)
