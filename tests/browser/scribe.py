"""Writes the events of a job through the port, as a worker does, and remembers the text."""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager

import msgspec

from goatherd.model.admission import Append
from goatherd.model.event import Done, Event, Failed, Progress, Queued, Retrying, Started, Token
from goatherd.model.ids import new_id
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.ports.events import Events
from goatherd.wiring import open_events

#: Pieces that are easily spoilt on the way: line ends, blanks, what JSON and HTML escape, and characters of many bytes.
PIECES = (
    "Grüße,\n",
    "  two  blanks\r\n",
    '<b>"quoted"</b> & \\n ',
    "🐐",
    "👩‍👩‍👧‍👦 ",
    "中文\u2028",
    "e\u0301 \t|",
    "data: x\n\n",
)


@asynccontextmanager
async def opened_events(url: str, app: str) -> AsyncIterator[Events]:
    settings = Settings(broker_url="sqlite:///unused.db", app=app, default_queue=app, events_url=url)
    events = await open_events(settings, SystemClock())
    try:
        yield events
    finally:
        await events.close()


class Scribe:
    """The worker of one job; `text` is what a page must show."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._clock = SystemClock()
        self._attempt = 0
        self._run = ""
        self._number = 0
        self.job_id = new_id()
        self.text = ""

    async def queue(self) -> None:
        await self._append(Append(events=[Queued(attempt=0, at=self._clock.now())]))

    async def start(self) -> None:
        """Begin an attempt, the first or another one; what was written before is void."""
        self._attempt, self._run, self._number, self.text = self._attempt + 1, new_id(), 0, ""
        await self._write(Started(attempt=self._attempt, at=self._clock.now(), worker="scribe"))

    async def progress(self, stage: str, percent: float) -> None:
        await self._write(Progress(attempt=self._attempt, at=self._clock.now(), stage=stage, percent=percent))

    async def say(self, *pieces: str) -> None:
        for piece in pieces:
            self.text += piece
            await self._write(Token(attempt=self._attempt, at=self._clock.now(), text=piece, node="answer"))

    async def say_together(self, pieces: Sequence[str]) -> None:
        """Many tokens in one step, as after an outage of the store."""
        self.text += "".join(pieces)
        tokens = [Token(attempt=self._attempt, at=self._clock.now(), text=piece, node="answer") for piece in pieces]
        await self._append(Append(events=tokens, run=self._run, number=self._number + 1))
        self._number += len(tokens)

    async def retry(self) -> None:
        retrying = Retrying(attempt=self._attempt, at=self._clock.now(), error="ValueError", delay=0)
        await self._append(Append(events=[retrying]))

    async def finish(self, result: object = None) -> None:
        await self._write(
            Done(attempt=self._attempt, at=self._clock.now(), result=msgspec.Raw(msgspec.json.encode(result)))
        )

    async def fail(self) -> None:
        failed = Failed(attempt=0, at=self._clock.now(), reason="failed", error="ValueError", message="no goats")
        await self._append(Append(events=[failed]))

    async def _write(self, event: Event) -> None:
        self._number += 1
        await self._append(Append(events=[event], run=self._run, number=self._number))

    async def _append(self, append: Append) -> None:
        outcome = await self._events.append(self.job_id, append)
        assert outcome.answer == "ok", outcome


def numbered(pieces: Iterable[str], start: int = 0) -> list[str]:
    """The same pieces, each unlike any other, so that one which is lost or told twice is seen."""
    return [f"{number}:{piece}" for number, piece in enumerate(pieces, start)]
