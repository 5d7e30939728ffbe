"""Writers and watchers of events as they must be: they send again what is asked for, and miss nothing."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from goatherd.model.admission import Append
from goatherd.model.event import BEGINNING, Done, Entry, Event, Snapshot, Started, Token
from goatherd.model.ids import new_id
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.ports.events import Events
from goatherd.testing.suites.event_store import NOW, done
from goatherd.wiring import open_events

#: Seconds of silence after which a watcher looks for itself.
SILENCE = 0.5


@asynccontextmanager
async def client(url: str, deadline: float = 20.0) -> AsyncIterator[Events]:
    settings = Settings(
        broker_url="sqlite:///unused.db", default_queue="faults", events_url=url, publish_deadline=deadline
    )
    events = await open_events(settings, SystemClock())
    try:
        yield events
    finally:
        await events.close()


class Stubborn:
    """A writer that keeps what it wrote and sends again what the store asks for."""

    def __init__(self, events: Events, job: str) -> None:
        self._events = events
        self._job = job
        self._run = new_id()
        self._ring: list[Event] = [Started(attempt=1, at=NOW, worker="w")]
        self._sent = 0
        self.text = ""

    async def say(self, text: str) -> None:
        self._ring.append(Token(attempt=1, at=NOW, text=text))
        self.text += text
        await self._flush()

    async def end(self) -> None:
        self._ring.append(done())
        await self._flush()

    async def _flush(self) -> None:
        while self._sent < len(self._ring):
            append = Append(events=self._ring[self._sent :], run=self._run, number=self._sent + 1)
            outcome = await self._events.append(self._job, append)
            assert outcome.answer in ("ok", "duplicate", "gap"), outcome
            self._sent = outcome.expected - 1 if outcome.answer == "gap" else len(self._ring)


class Follower:
    """A watcher: delivers only what follows directly, reads when something is missing, looks again after silence."""

    def __init__(self, events: Events, job: str) -> None:
        self._events = events
        self._job = job
        self._called = asyncio.Event()
        self._position = BEGINNING
        self.text = ""
        self.tokens = 0
        self.snapshots = 0

    async def follow(self) -> None:
        watch = await self._events.watch(self._job, lambda _: self._called.set())
        while not await self._catch_up():
            try:
                async with asyncio.timeout(SILENCE):
                    await self._called.wait()
            except TimeoutError:
                pass
            self._called.clear()
        await watch.stop()

    async def _catch_up(self) -> bool:
        reading = await self._events.read(self._job, self._position)
        if reading is None:
            return False
        if not reading.resumed:
            self.snapshots += 1
            self.text = reading.text or ""
            self._position = reading.top
            return reading.state.closed
        return self._deliver(reading.entries)

    def _deliver(self, entries: Sequence[Entry]) -> bool:
        for entry in entries:
            assert entry.position.seq == self._position.seq + 1
            self._position = entry.position
            event = entry.event()
            match event:
                case Token():
                    self.text += event.text
                    self.tokens += 1
                case Snapshot():
                    self.text = event.text
                case Done():
                    return True
        return False
