"""Write down one attempt as it goes: in order, each event once, without holding up the work.

What is told is kept here until the log has it. While the store is away the attempt goes on; too much of it shrinks to
its text and its stage, and the rest is counted as lost.
"""

import asyncio
import logging
import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import msgspec

from goatherd.engine.said import percent_of, size_of, word_of
from goatherd.engine.unwritten import Unwritten
from goatherd.errors import Unavailable
from goatherd.model.admission import Append, Outcome
from goatherd.model.event import Done, Event, Failed, Progress, Token
from goatherd.model.ids import new_id

#: Bytes of text that one attempt may stream; what comes after is not kept.
LONGEST_TEXT = 1024 * 1024

log = logging.getLogger("goatherd.events")


class Outlet(Protocol):
    """The way to the store that all attempts of a worker share."""

    #: Whether the store did not answer when it was last asked.
    away: bool
    #: Seconds for which tokens are collected.
    window: float

    def now(self) -> float:
        """Seconds since the epoch."""

    async def append(self, job_id: str, append: Append) -> Outcome:
        """Write; raises Unavailable."""

    def lost(self, count: int, why: str) -> None:
        """So many events will not be seen by anybody."""


class Voice(Protocol):
    """Takes what a task's code tells; used on the event loop."""

    #: Where it lives; code in threads finds it here.
    loop: asyncio.AbstractEventLoop

    def progress(self, stage: str, percent: float | None, status: str, fields: Mapping[str, Any]) -> None:
        """A stage of the work; raises TypeError or ValueError for what cannot be written as JSON."""

    def token(self, text: str, node: str) -> None:
        """A piece of the text; raises TypeError or ValueError for what is no text."""

    async def room(self) -> None:
        """Return when there is room for more."""


class Emitter:
    """The events of one attempt; used on the event loop. Telling never fails because of the store."""

    def __init__(self, job_id: str, attempt: int, outlet: Outlet) -> None:
        self.job_id = job_id
        self.attempt = attempt
        self._outlet = outlet
        self._unwritten = Unwritten(new_id())
        self._text_size = 0
        self._timer: asyncio.TimerHandle | None = None
        self._flushed_at = -math.inf
        self._writing: asyncio.Task[None] | None = None
        self._room = asyncio.Event()
        self._ended = False
        #: Where it lives; code in threads finds it here.
        self.loop = asyncio.get_running_loop()
        #: Why nothing more is written: a later attempt has begun, or the job has ended.
        self.over: Outcome | None = None
        #: Called when the job turns out to have ended while the attempt runs.
        self.when_closed: Callable[[], None] | None = None

    def progress(self, stage: str, percent: float | None, status: str, fields: Mapping[str, Any]) -> None:
        """A stage of the work; raises TypeError or ValueError for what cannot be written as JSON."""
        told = msgspec.json.decode(msgspec.json.encode(fields)) if fields else {}
        event = Progress(
            attempt=self.attempt,
            at=self._outlet.now(),
            stage=word_of(stage),
            status=word_of(status),
            percent=percent_of(percent),
            fields=told,
        )
        self.tell(event)

    def token(self, text: str, node: str) -> None:
        """A piece of the text; raises TypeError or ValueError for what is no text."""
        before, size, node = self._text_size, size_of(text), word_of(node)
        if not size or self._ended:
            return
        self._text_size += size
        if self._text_size <= LONGEST_TEXT:
            self.tell(Token(attempt=self.attempt, at=self._outlet.now(), text=text, node=node))
            return
        if before <= LONGEST_TEXT:
            log.warning("Job %s streams more than %d bytes of text; the rest is not kept", self.job_id, LONGEST_TEXT)
        self._outlet.lost(1, "too long")

    def end(self, last: Event | None) -> None:
        """The attempt has ended; what code of it that runs on in a thread still tells is not heard."""
        if last is not None:
            self.tell(last)
        self._ended = True

    def tell(self, event: Event) -> None:
        """One more event, in its place."""
        if self.over is not None or self._ended:
            return
        if self._unwritten.add(event):
            self._write()
        elif self._timer is None:
            self._write_in_time()
        if self._unwritten.full and self._outlet.away:
            lost = self._unwritten.shrink(self._outlet.now())
            if lost:
                self._outlet.lost(lost, "store away")

    async def room(self) -> None:
        """Return at once, or, where the store lives but is slow, when some has been written."""
        while self._unwritten.full and not self._outlet.away and self.over is None:
            self._room.clear()
            await self._room.wait()

    async def written(self) -> bool:
        """Return when all that was told is in the log, or when none of it will ever be; true for the first."""
        self._flush()
        while self._writing is not None:
            await asyncio.shield(self._writing)
        return self.over is None

    async def settled(self) -> bool:
        """The same, but return as soon as the store is away; what was told is then written later, or lost."""
        self._flush()
        while self._writing is not None and not self._outlet.away:
            self._room.clear()
            await self._room.wait()
        return self._writing is None and self.over is None and not len(self._unwritten)

    def cancel(self) -> int:
        """Write no more; returns how many events are lost by that."""
        self._ended = True
        if self._timer is not None:
            self._timer.cancel()
        if self._writing is not None:
            self._writing.cancel()
        return 0 if self.over is not None else len(self._unwritten)

    def _write_in_time(self) -> None:
        """The first token after a silence at once, and those after it together, once in each window."""
        due = self._flushed_at + self._outlet.window
        if due <= self.loop.time():
            self._flush()
        else:
            self._timer = self.loop.call_at(due, self._flush)

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._unwritten.seal():
            self._flushed_at = self.loop.time()
        self._write()

    def _write(self) -> None:
        if self._writing is None and len(self._unwritten) and self.over is None:
            self._writing = asyncio.create_task(self._write_all(), name=f"events of {self.job_id}")

    async def _write_all(self) -> None:
        try:
            while self.over is None and (append := self._unwritten.next()) is not None:
                try:
                    outcome = await self._outlet.append(self.job_id, append)
                except Unavailable:
                    # The outlet tells of it, and waits before the next try; meanwhile what is here may shrink.
                    self._room.set()
                    continue
                except Exception:
                    log.exception("Events of job %s cannot be written; this is a fault of Goatherd", self.job_id)
                    self._give_up(append)
                    continue
                self._take(outcome, append)
        finally:
            self._writing = None
            self._room.set()

    def _give_up(self, append: Append) -> None:
        """Leave out what cannot be written; how the job ended is tried by itself."""
        count = len(append.events)
        if count > 1 and isinstance(append.events[-1], Done | Failed):
            count -= 1
        self._outlet.lost(count, "fault")
        self._unwritten.written(append.number + count - 1)

    def _take(self, outcome: Outcome, append: Append) -> None:
        match outcome.answer:
            case "ok" | "duplicate":
                self._unwritten.written(append.last_number)
            case "gap":
                self._unwritten.missing(outcome.expected, self._outlet.now())
            case "fenced" | "closed":
                self.over = outcome
                if outcome.answer == "closed" and self.when_closed is not None:
                    self.when_closed()
        self._room.set()
