"""The worker's side: numbers from a counter in memory, an `XADD` for each event."""

import json
from typing import Any

from benchmarks.naive.names import SAVE_EVERY, TTL, shard_of, text_of, tokens_of

#: Events of all jobs that a shard keeps, and tokens of one job.
SHARD_LENGTH, TOKENS_LENGTH = 10_000, 1000


class NaiveAttempt:
    """One attempt; a new one counts from the beginning, because it knows of no other."""

    def __init__(self, server: Any, job: str, attempt: int) -> None:
        self._server = server
        self._job = job
        self._attempt = attempt
        self._seq = 0
        self._tokens = 0
        self._text = ""

    async def stage(self, stage: str, status: str, **more: Any) -> None:
        """A stage of the work."""
        self._seq += 1
        await self._add({"stage": stage, "status": status, "seq": self._seq, "attempt": self._attempt, **more})

    async def token(self, text: str) -> None:
        """A piece of the text."""
        self._seq += 1
        self._tokens += 1
        self._text += text
        event = {"stage": "token", "content": text, "seq": self._seq, "attempt": self._attempt, "node": ""}
        await self._add(event)
        await self._server.xadd(tokens_of(self._job), {"event": json.dumps(event)}, maxlen=TOKENS_LENGTH)
        await self._server.expire(tokens_of(self._job), TTL)
        if self._tokens % SAVE_EVERY == 0:
            await self.save()

    async def save(self) -> None:
        """Keep the text so far for those who come later."""
        await self._server.hset(text_of(self._job), mapping={"accumulated": self._text, "last_seq": self._seq})
        await self._server.expire(text_of(self._job), TTL)

    async def _add(self, event: dict[str, Any]) -> None:
        fields = {"job": self._job, "event": json.dumps(event)}
        await self._server.xadd(shard_of(self._job), fields, maxlen=SHARD_LENGTH, approximate=True)
