"""The records ports on SQLite."""

import json
import time
from collections.abc import Mapping, Sequence

import apsw

from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.doorbell import Ringer
from goatherd.adapters.sqlite.queries import bells, rows, run
from goatherd.errors import Unavailable
from goatherd.ports.records import WorkerRecord


class SqliteRecords:
    """Satisfies `QueueControls`, `WorkerRecords` and `StoreChecks`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def pause(self, queue: str) -> None:
        await self._set_paused(queue, paused=True)

    async def resume(self, queue: str) -> None:
        await self._set_paused(queue, paused=False)

    async def paused(self) -> frozenset[str]:
        found = await self._database.read(lambda connection: rows(connection, "paused"))
        return frozenset(name for (name,) in found)

    async def workers(self) -> Sequence[WorkerRecord]:
        found = await self._database.read(lambda connection: rows(connection, "workers"))
        now = time.time()
        return [
            WorkerRecord(
                id=name[:8], host=host, pid=pid, queues=json.loads(queues or "[]"), started=started,
                silent=max(0.0, now - seen),
            )
            for name, host, pid, started, seen, queues in found
        ]  # fmt: skip

    async def check(self) -> Mapping[str, str]:
        def look(connection: apsw.Connection) -> dict[str, str]:
            health = connection.pragma("quick_check")
            return {
                "file": str(self._database.path),
                "sqlite": apsw.sqlite_lib_version(),
                "journal": str(connection.pragma("journal_mode")),
                "quick check": str(health),
                "size": f"{self._database.path.stat().st_size / 1e6:.1f} MB",
            }

        facts = await self._database.read(look)
        await self._database.write(lambda connection: connection.execute("PRAGMA user_version"), durable=False)
        return facts

    async def _set_paused(self, queue: str, *, paused: bool) -> None:
        def mark(connection: apsw.Connection) -> list[str]:
            if not run(connection, "set_paused", {"name": queue, "paused": paused}):
                raise Unavailable(f"There is no queue {queue!r}; `goatherd queues list` shows those that exist.")
            return bells(connection)

        ringer = Ringer()
        try:
            await self._database.write(mark, after=ringer.ring)
        finally:
            ringer.close()
