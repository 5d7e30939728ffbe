"""Questions and answers in a small SQLite file of this program's own."""

import asyncio
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import apsw

#: Messages of one chat that are told, the latest ones.
MOST = 100
#: How a message stands whose answer may still change.
OPEN = ("queued", "running", "retrying")
_TABLE = """
CREATE TABLE IF NOT EXISTS message (
    job_id TEXT PRIMARY KEY, chat_id TEXT NOT NULL, asked_at REAL NOT NULL, message TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'queued', answer TEXT NOT NULL DEFAULT '',
    sources TEXT NOT NULL DEFAULT '[]', provider TEXT NOT NULL DEFAULT '', error TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX IF NOT EXISTS message_of_chat ON message (chat_id, asked_at);
"""


@dataclass(frozen=True)
class Noted:
    """One row."""

    job_id: str
    chat_id: str
    asked_at: float
    message: str
    status: str
    answer: str
    #: The documents that it is from, and who wrote it; of one that is whole.
    sources: Sequence[str]
    provider: str
    #: Why there is none.
    error: str

    @property
    def is_open(self) -> bool:
        """Whether its answer may still change."""
        return self.status in OPEN


class History:
    """Read and written in one thread, so that the event loop never waits for the disk."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="history")

    async def open(self) -> None:
        """Have the file and its table."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = await self._in_thread(apsw.Connection, str(self._path))
        self._connection.set_busy_timeout(10_000)
        await self._do("PRAGMA journal_mode = wal")
        await self._do(_TABLE)

    async def close(self) -> None:
        """Once."""
        await self._in_thread(self._connection.close)
        self._thread.shutdown()

    async def note(self, job_id: str, chat_id: str, asked_at: float, message: str) -> None:
        """A question was asked."""
        sql = "INSERT OR IGNORE INTO message (job_id, chat_id, asked_at, message) VALUES (?, ?, ?, ?)"
        await self._do(sql, job_id, chat_id, asked_at, message)

    async def settle(self, now: Noted) -> None:
        """Its answer is there, or will never be."""
        sql = "UPDATE message SET status = ?, answer = ?, sources = ?, provider = ?, error = ? WHERE job_id = ?"
        await self._do(sql, now.status, now.answer, json.dumps(now.sources), now.provider, now.error, now.job_id)

    async def of_chat(self, chat_id: str) -> Sequence[Noted]:
        """The latest messages of a chat, the oldest of them first."""
        rows = await self._do("SELECT * FROM message WHERE chat_id = ? ORDER BY asked_at DESC LIMIT ?", chat_id, MOST)
        return [_noted(row) for row in reversed(rows)]

    async def unsettled(self) -> Sequence[Noted]:
        """Messages of all chats whose answer was not there yet when one last looked."""
        rows = await self._do("SELECT * FROM message WHERE status IN (?, ?, ?)", *OPEN)
        return [_noted(row) for row in rows]

    async def has(self, chat_id: str, job_id: str) -> bool:
        """Whether the message is of this chat."""
        return bool(await self._do("SELECT 1 FROM message WHERE chat_id = ? AND job_id = ?", chat_id, job_id))

    async def _do(self, sql: str, *values: Any) -> list[Any]:
        rows: list[Any] = await self._in_thread(lambda: list(self._connection.execute(sql, values)))
        return rows

    async def _in_thread(self, function: Any, *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, *arguments)


def _noted(row: tuple[Any, ...]) -> Noted:
    noted = Noted(*row)
    return replace(noted, sources=json.loads(str(noted.sources)))
