"""Make events as a worker does: by appending to a job's log."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from time import time

from goatherd.model.admission import Append
from goatherd.model.event import Queued, Started, Token
from goatherd.model.ids import new_id
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.ports.events import Events
from goatherd.wiring import open_events


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """The only attempt of a job, and the number of its next event."""

    run: str = field(default_factory=new_id)
    numbers: "count[int]" = field(default_factory=lambda: count(1))


class Appending:
    """Satisfies `Feed`."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._attempts: dict[str, Attempt] = {}

    async def begin(self, job: str) -> None:
        await self._events.append(job, Append(events=[Queued(attempt=0, at=time())]))
        attempt = self._attempts[job] = Attempt()
        started = Started(attempt=1, at=time(), worker="bench")
        await self._append(job, Append(events=[started], run=attempt.run, number=next(attempt.numbers)))

    async def say(self, job: str, text: str, times: int = 1) -> None:
        attempt = self._attempts[job]
        numbers = [next(attempt.numbers) for _ in range(times)]
        tokens = [Token(attempt=1, at=time(), text=text) for _ in numbers]
        await self._append(job, Append(events=tokens, run=attempt.run, number=numbers[0]))

    async def _append(self, job: str, append: Append) -> None:
        outcome = await self._events.append(job, append)
        if outcome.answer != "ok":
            raise RuntimeError(f"the store did not take an event: {outcome}")


@asynccontextmanager
async def appending(settings: Settings) -> AsyncIterator[Appending]:
    """Open the store."""
    events = await open_events(settings, SystemClock())
    try:
        yield Appending(events)
    finally:
        await events.close()
