"""Writers of events on a real file, and a store between the two that can be away, slow, or lose its answers."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from goatherd.engine.emitter import Emitter
from goatherd.engine.emitters import Emitters, Habits
from goatherd.engine.meter import Meter
from goatherd.errors import Unavailable
from goatherd.model.admission import Append, Outcome
from goatherd.model.event import BEGINNING, Event, Position, Progress, Snapshot, Started, Token
from goatherd.model.ids import new_id
from goatherd.model.job_state import JobState
from goatherd.model.settings import Settings
from goatherd.ports.clock import Clock
from goatherd.ports.events import Events
from goatherd.wiring import open_events
from tests.unit.engine.stage import PATIENCE, HandClock, Notes

#: A window that never ends by itself within a test.
LONG = 3600.0


class FickleStore:
    """The real store, as its writers see it on a bad day."""

    def __init__(self, store: Events) -> None:
        self._store = store
        self.notes = Notes()
        self.away = False
        self.loses_answers = False
        self.breaks: Callable[[Append], bool] = lambda _: False
        #: Whether it answers now; a slow store answers when the test says so.
        self.answers = asyncio.Event()
        self.answers.set()
        self.appends: list[Append] = []
        self.asking = 0
        self.most_asking = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def append(self, job_id: str, append: Append) -> Outcome:
        self.asking += 1
        self.most_asking = max(self.most_asking, self.asking)
        self.notes("asked")
        try:
            await self.answers.wait()
            self._check()
            if self.breaks(append):
                raise RuntimeError("a fault of the adapter")
            outcome = await self._store.append(job_id, append)
            self.appends.append(append)
            self.notes("appended")
            if self.loses_answers:
                raise Unavailable("The answer was lost.")
            return outcome
        finally:
            self.asking -= 1

    async def keep(self, job_id: str, seconds: float) -> None:
        self.notes("asked to keep")
        self._check()
        await self._store.keep(job_id, seconds)
        self.notes("kept")

    async def state(self, job_id: str) -> JobState | None:
        self._check()
        return await self._store.state(job_id)

    def _check(self) -> None:
        if self.away:
            raise Unavailable("The store is away.")


class Desk:
    """One worker's emitters, and the log that they write."""

    def __init__(self, store: FickleStore, clock: Clock, window: float, ttl: float) -> None:
        self.store = store
        self.meter = Meter()
        self._clock = clock
        self._habits = Habits(prefix="shop", window=window, ttl=ttl)
        self.emitters = self.another_worker()
        self.job = new_id()

    def another_worker(self) -> Emitters:
        async def opened() -> Events:
            store: Any = self.store
            return store

        return Emitters(opened, self._clock, self.meter, self._habits)

    @property
    def lost(self) -> dict[str, int]:
        return dict(self.meter.readings().events_lost)

    async def begun(self, attempt: int = 1) -> Emitter:
        """An attempt at the job, whose beginning is written."""
        emitter = await self.emitters.begin(self.job, attempt)
        assert isinstance(emitter, Emitter)
        return emitter

    async def log(self) -> list[Event]:
        """All that is kept of the job."""
        reading = await self.store._store.read(self.job, BEGINNING)
        assert reading is not None
        seq = 0
        while not reading.resumed:
            # It began anew; the first event that is kept has a later number.
            seq += 1
            reading = await self.store._store.read(self.job, Position(reading.top.epoch, seq))
            assert reading is not None
        return [entry.event() for entry in reading.entries]

    async def words(self) -> list[str]:
        """The same in few words."""
        return [_word(event) for event in await self.log()]

    async def text(self) -> str | None:
        reading = await self.store._store.read(self.job, None)
        assert reading is not None
        return reading.text

    async def state(self) -> JobState | None:
        return await self.store._store.state(self.job)

    async def saw(self, what: str, times: int = 1) -> None:
        await self.store.notes.saw(what, times)


def _word(event: Event) -> str:
    match event:
        case Token():
            return f"{event.node}: {event.text}"
        case Progress():
            return event.stage
        case Snapshot():
            return f"[{event.stage}] {event.text}"
        case Started():
            return f"started {event.attempt}"
        case _:
            return type(event).__name__.lower()


async def in_time(waiting: Any) -> Any:
    """What it gives, if it does so in time."""
    async with asyncio.timeout(PATIENCE):
        return await waiting


@asynccontextmanager
async def desk_on(folder: Path, *, window: float = LONG, ttl: float = 60.0) -> AsyncIterator[tuple[Desk, HandClock]]:
    clock = HandClock()
    settings = Settings(broker_url=f"sqlite:///{folder}/events.db", default_queue="shop", event_ttl=ttl)
    store = await open_events(settings, clock)
    desk = Desk(FickleStore(store), clock, window, ttl)
    try:
        yield desk, clock
    finally:
        await desk.emitters.close(0)
        await store.close()
