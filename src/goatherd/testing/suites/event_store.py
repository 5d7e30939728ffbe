"""What the suite of events stands on: an empty store, clients of it, and attempts that write."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, ClassVar, TypeAlias

import msgspec
import pytest
import pytest_asyncio

from goatherd.model.admission import Append, Outcome
from goatherd.model.event import (
    BEGINNING,
    Done,
    Entry,
    Event,
    Failed,
    FailedReason,
    Position,
    Progress,
    Queued,
    Retrying,
    Started,
    Token,
)
from goatherd.model.ids import new_id
from goatherd.model.reading import Reading
from goatherd.ports.events import Events
from goatherd.testing.suites.receiver import PATIENCE, SILENCE
from goatherd.testing.suites.store import alive

#: Opens one more client of the case's store; all are closed when the case ends.
OpenEvents: TypeAlias = Callable[[], Awaitable[Events]]

NOW = 1_700_000_000.25


def queued() -> Queued:
    """A job is accepted."""
    return Queued(attempt=0, at=NOW)


def retrying(attempt: int = 1, error: str = "ValueError: no luck") -> Retrying:
    """An attempt failed, another follows."""
    return Retrying(attempt=attempt, at=NOW, error=error, delay=2.5)


def done(attempt: int = 1, result: bytes = b'{"answer":42}') -> Done:
    """The good end."""
    return Done(attempt=attempt, at=NOW, result=msgspec.Raw(result))


def failed(attempt: int = 0, reason: FailedReason = "failed") -> Failed:
    """The bad end."""
    return Failed(attempt=attempt, at=NOW, reason=reason, error="ValueError", message="no luck 🐐", traceback="line 1")


class Author:
    """An attempt at work, which counts what it writes."""

    def __init__(self, events: Events, job: str, attempt: int = 1, run: str | None = None) -> None:
        self._events = events
        self.job = job
        self.attempt = attempt
        self.run = run or new_id()
        self.number = 1

    async def start(self) -> Outcome:
        """Begin."""
        return await self.write(self.started())

    async def say(self, *texts: str) -> Outcome:
        """Write tokens, in one step."""
        return await self.write(*(self.token(text) for text in texts))

    async def write(self, *events: Event) -> Outcome:
        """Write events under the next numbers."""
        outcome = await self.send(self.number, *events)
        self.number += len(events)
        return outcome

    async def send(self, number: int, *events: Event) -> Outcome:
        """Write events under any number."""
        return await self._events.append(self.job, Append(events=events, run=self.run, number=number))

    def started(self) -> Started:
        """How every attempt begins."""
        return Started(attempt=self.attempt, at=NOW, worker="w1")

    def token(self, text: str) -> Token:
        """A piece of the text."""
        return Token(attempt=self.attempt, at=NOW, text=text, node="answer")

    def progress(self, stage: str, percent: float | None = None, **fields: object) -> Progress:
        """A stage of the work."""
        return Progress(attempt=self.attempt, at=NOW, stage=stage, status="started", percent=percent, fields=fields)


class Called:
    """Counts the calls of a watch and lets a case wait for the next one."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._calls: asyncio.Queue[Sequence[Entry]] = asyncio.Queue()

    def __call__(self, entries: Sequence[Entry]) -> None:
        self.entries += entries
        self._calls.put_nowait(entries)

    async def next(self) -> Sequence[Entry]:
        """The next call that the case has not seen yet."""
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._calls.get()
        except TimeoutError:
            pytest.fail(f"a watcher was not called within {PATIENCE:g} s")

    async def is_left_alone(self) -> None:
        """Fail if it is called."""
        try:
            async with asyncio.timeout(SILENCE):
                await self._calls.get()
        except TimeoutError:
            return
        pytest.fail("a watcher was called, but nothing should have been said")


class EventsCases:
    """What the parts of the suite have in common; see `EventsSuite`."""

    # Written here, so that the suite runs in both modes of pytest-asyncio.
    pytestmark: ClassVar[pytest.MarkDecorator] = pytest.mark.asyncio

    @pytest.fixture
    def store(self) -> Any:
        """An empty store, in whatever form `open` takes it."""
        raise NotImplementedError("Give the suite a fixture `store`: an empty store, such as the path of a new file.")

    async def open(self, store: Any, ttl: float = 3600.0) -> Events:
        """Open one client; called several times for one store."""
        raise NotImplementedError("Give the suite a method `open(store, ttl)` that returns one more client.")

    async def wipe(self, store: Any) -> None:
        """Make the store lose all that it keeps, while its clients live on."""
        raise NotImplementedError("Give the suite a method `wipe(store)` that deletes everything.")

    async def cut_off(self, store: Any) -> None:
        """Break what carries the calls to watchers, so that some are lost; the clients must mend it themselves."""
        raise NotImplementedError("Give the suite a method `cut_off(store)`.")

    @pytest_asyncio.fixture
    async def open_events(self, store: Any) -> AsyncIterator[OpenEvents]:
        """Opens clients for a case; afterwards nothing of them may be left."""
        before = alive()
        clients: list[Events] = []

        async def open_one() -> Events:
            clients.append(await self.open(store))
            return clients[-1]

        yield open_one
        for client in clients:
            await client.close()
        assert alive() - before == set(), "these tasks and threads outlived their clients"

    @pytest_asyncio.fixture
    async def client(self, open_events: OpenEvents) -> Events:
        """The client that most cases begin with."""
        return await open_events()

    @pytest_asyncio.fixture
    async def other(self, open_events: OpenEvents) -> Events:
        """A second client."""
        return await open_events()

    @pytest.fixture
    def job(self) -> str:
        """A job that no other case uses."""
        return new_id()


async def by_platform(events: Events, job: str, event: Event) -> Outcome:
    """Append as the platform."""
    return await events.append(job, Append(events=[event]))


async def whole(events: Events, job: str) -> Reading:
    """The job as it stands, with its text."""
    reading = await events.read(job, None)
    assert reading is not None, "the job is not known"
    assert not reading.resumed
    return reading


async def all_entries(events: Events, job: str, after: Position = BEGINNING) -> Sequence[Entry]:
    """Everything after a position; all of it must be kept."""
    reading = await events.read(job, after)
    assert reading is not None, "the job is not known"
    assert reading.resumed
    assert reading.complete
    return reading.entries


def kinds(entries: Sequence[Entry]) -> list[str]:
    """What happened, in one word for each event."""
    return [entry.kind for entry in entries]


def numbers(entries: Sequence[Entry]) -> list[int]:
    """Where each event stands."""
    return [entry.position.seq for entry in entries]
