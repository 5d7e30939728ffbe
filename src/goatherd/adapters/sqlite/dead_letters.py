"""The store of dead letters on SQLite."""

from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from typing import Any

import apsw
import msgspec

from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.doorbell import Ringer
from goatherd.adapters.sqlite.graves import keep
from goatherd.adapters.sqlite.queries import bells, rows, run
from goatherd.adapters.sqlite.rows import QueueRow, headers_from_text, publish_row
from goatherd.errors import UnknownJob
from goatherd.model.dead_letter import Burial, LetterFilter, Reason, StoredLetter
from goatherd.model.message import Message
from goatherd.ports.clock import Clock

#: Letters read at a time, so that a long list needs little memory.
PAGE = 500


class SqliteDeadLetters:
    """Satisfies `DeadLetters`."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def find(self, wanted: LetterFilter, limit: int | None = None) -> AsyncIterator[StoredLetter]:
        after, left = 0, limit
        while left is None or left > 0:
            limits = {"after": after, "limit": PAGE if left is None else min(PAGE, left)}
            page = await self._select("find_letters", msgspec.structs.asdict(wanted) | limits)
            if not page:
                return
            for row in page:
                yield _letter(row)
            after = page[-1][0]
            left = None if left is None else left - len(page)

    async def count(self) -> int:
        [(count,)] = await self._select("count_letters", {})
        return int(count)

    async def get(self, letter_id: str) -> StoredLetter:
        found = await self._select("get_letter", {"id": letter_id})
        if not found:
            raise UnknownJob.letter(letter_id)
        return _letter(found[0])

    async def replay(self, pairs: Sequence[tuple[StoredLetter, Message]]) -> int:
        def put_back(connection: apsw.Connection) -> tuple[int, list[str]]:
            now, replayed, to_ring = self._clock.now(), 0, set[str]()
            for letter, message in pairs:
                if _removed(connection, letter):
                    queue = _queue_for(connection, message.queue)
                    run(connection, "publish", publish_row(message, queue, now))
                    to_ring |= set(bells(connection, queue.id))
                    replayed += 1
            return replayed, list(to_ring)

        with closing(Ringer()) as ringer:
            replayed, _ = await self._database.write(put_back, after=lambda result: ringer.ring(result[1]))
        return replayed

    async def keep(self, letters: Sequence[StoredLetter]) -> None:
        def take_in(connection: apsw.Connection) -> list[str]:
            now = self._clock.now()
            told = {queue for letter in letters for queue in keep(connection, letter, now)}
            return [bell for queue in told for bell in bells(connection, queue)]

        with closing(Ringer()) as ringer:
            await self._database.write(take_in, after=ringer.ring)

    async def discard(self, letters: Sequence[StoredLetter]) -> int:
        return await self._database.write(lambda connection: sum(_removed(connection, letter) for letter in letters))

    async def _select(self, name: str, names: dict[str, Any]) -> list[tuple[Any, ...]]:
        return await self._database.read(lambda connection: rows(connection, name, names))


def _removed(connection: apsw.Connection, letter: StoredLetter) -> bool:
    return run(connection, "discard_letter", (letter.id,)) == 1


def _queue_for(connection: apsw.Connection, name: str) -> QueueRow:
    """The queue, made again if it was deleted since."""
    found = rows(connection, "find_queue", {"name": name})
    if not found:
        run(connection, "make_queue", {"name": name, "ttl": None, "max_length": None, "announces_to": None})
        found = rows(connection, "find_queue", {"name": name})
    return QueueRow(*found[0])


def _letter(row: tuple[Any, ...]) -> StoredLetter:
    (_, letter_id, queue, job_id, task, priority, body, headers, accepted, *why) = row
    reason, error_type, text, traceback, attempts, failed_at = why
    original = Message(
        id=job_id, queue=queue, body=body, task=task, headers=headers_from_text(headers), priority=priority
    )
    known: Reason = reason
    burial = Burial(
        reason=known, error_type=error_type, message=text, traceback=traceback, attempts=attempts, failed_at=failed_at
    )
    return StoredLetter(id=letter_id, original=original, accepted=accepted, burial=burial)
