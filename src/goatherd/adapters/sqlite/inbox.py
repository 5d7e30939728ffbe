"""Commands from outside, on SQLite."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import apsw

from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.patience import in_time
from goatherd.adapters.sqlite.queries import rows, run, run_many
from goatherd.model.command import Command, StoredCommand
from goatherd.ports.clock import Clock

Result = TypeVar("Result")

#: Told when the file does not answer.
_COMFORT = "It is tried again, and nothing is lost."


class SqliteInbox:
    """Satisfies `InboxRecords`."""

    def __init__(
        self, database: Database, clock: Clock, *, deadline: float, give_back: Callable[[], Awaitable[None]]
    ) -> None:
        self._database = database
        self._clock = clock
        self._deadline = deadline
        self._give_back = give_back
        self._closed = False

    async def store(self, inbox: str, commands: Sequence[Command], hold: float) -> Sequence[StoredCommand]:
        digests = [command.digest for command in commands]

        def store_all(connection: apsw.Connection) -> list[StoredCommand]:
            now = self._clock.now()
            those = zip(commands, digests, strict=True)
            return [_stored(connection, inbox, command, digest, now, hold) for command, digest in those]

        return await self._in_time(self._database.write(store_all))

    async def take_over(self, inbox: str, limit: int, hold: float) -> Sequence[StoredCommand]:
        def take(connection: apsw.Connection) -> list[StoredCommand]:
            now = self._clock.now()
            found = rows(connection, "unheld_commands", {"inbox": inbox, "now": now, "limit": limit})
            run_many(connection, "hold_command", [(now + hold, seq) for seq, *_ in found])
            return [
                StoredCommand(key=key, body=body, digest=digest, sent=bool(sent), removed=bool(removed), ours=True)
                for _, key, body, digest, sent, removed in found
            ]

        return await self._in_time(self._database.write(take, durable=False))

    async def sent(self, inbox: str, keys: Sequence[str]) -> None:
        await self._change("command_sent", inbox, keys)

    async def removed(self, inbox: str, keys: Sequence[str]) -> None:
        await self._change("command_removed", inbox, keys)

    async def forget(self, older_than: float, limit: int) -> int:
        row = {"before": self._clock.now() - older_than, "limit": limit}
        return await self._in_time(
            self._database.write(lambda connection: run(connection, "forget_commands", row), durable=False)
        )

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._give_back()

    async def _change(self, statement: str, inbox: str, keys: Sequence[str]) -> None:
        def change(connection: apsw.Connection) -> None:
            run_many(connection, statement, [(inbox, key) for key in keys])

        # What is lost with the machine's power is done and noted again.
        await self._in_time(self._database.write(change, durable=False))

    async def _in_time(self, asked: Awaitable[Result]) -> Result:
        return await in_time(self._database, self._deadline, asked, _COMFORT)


def _stored(
    connection: apsw.Connection, inbox: str, command: Command, digest: str, now: float, hold: float
) -> StoredCommand:
    row = {"inbox": inbox, "key": command.key, "body": command.body, "digest": digest, "now": now, "hold": hold}
    ours = bool(run(connection, "store_command", row))
    [[body, stored_digest, sent, removed]] = rows(connection, "find_command", (inbox, command.key))
    return StoredCommand(
        key=command.key, body=body, digest=stored_digest, sent=bool(sent), removed=bool(removed), ours=ours
    )
