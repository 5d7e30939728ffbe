"""What the suite of lanes stands on: an empty store, a clock that cases move, and senders and workers that count."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, ClassVar, Protocol, TypeAlias

import pytest
import pytest_asyncio

from goatherd.ports.lanes import LaneOperations, Lanes
from goatherd.testing.suites.receiver import PATIENCE, SILENCE
from goatherd.testing.suites.store import alive


class LaneStore(Lanes, LaneOperations, Protocol):
    """What an adapter of lanes satisfies."""


#: Opens one more client of the case's store; all are closed when the case ends.
OpenLanes: TypeAlias = Callable[[], Awaitable[LaneStore]]


class StandingClock:
    """Seconds since the epoch that pass only when a case says so; give it to `open` as `now`."""

    def __init__(self) -> None:
        # A whole number of milliseconds, so that no store has to round it.
        self.time = float(int(time.time()))

    def __call__(self) -> float:
        return self.time

    def advance(self, seconds: float) -> None:
        """Let so much time pass."""
        self.time += seconds


class Woken:
    """Counts the calls of a watch and lets a case wait for the next one."""

    def __init__(self) -> None:
        self.count = 0
        self._event = asyncio.Event()

    def __call__(self) -> None:
        self.count += 1
        self._event.set()

    async def next(self) -> None:
        """Wait for a call since the last look."""
        try:
            async with asyncio.timeout(PATIENCE):
                await self._event.wait()
        except TimeoutError:
            pytest.fail(f"a watcher was not called within {PATIENCE:g} s")
        self._event.clear()

    async def is_left_alone(self) -> None:
        """Fail if it is called."""
        try:
            async with asyncio.timeout(SILENCE):
                await self._event.wait()
        except TimeoutError:
            return
        pytest.fail("a watcher was called, but no lane of its queues became ready")


class LanesCases:
    """What the parts of the suite have in common; see `LanesSuite`."""

    # Written here, so that the suite runs in both modes of pytest-asyncio.
    pytestmark: ClassVar[pytest.MarkDecorator] = pytest.mark.asyncio

    @pytest.fixture
    def store(self) -> Any:
        """An empty store, in whatever form `open` takes it."""
        raise NotImplementedError("Give the suite a fixture `store`: an empty store, such as the path of a new file.")

    async def open(self, store: Any, now: Callable[[], float] | None = None) -> LaneStore:
        """Open one client, whose store has this clock instead of its own; called several times for one store."""
        raise NotImplementedError("Give the suite a method `open(store, now)` that returns one more client.")

    async def wipe(self, store: Any) -> None:
        """Make the store lose all that it keeps, while its clients live on."""
        raise NotImplementedError("Give the suite a method `wipe(store)` that deletes everything.")

    async def kept(self, store: Any) -> Sequence[str]:
        """What the store keeps of lanes, jobs and letters, by name; high-water marks, peers and ids do not count."""
        raise NotImplementedError("Give the suite a method `kept(store)` that tells what is left of lanes.")

    @pytest.fixture
    def clock(self) -> StandingClock:
        """The time of every client that `open_lanes` opens."""
        return StandingClock()

    @pytest_asyncio.fixture
    async def open_lanes(self, store: Any, clock: StandingClock) -> AsyncIterator[OpenLanes]:
        """Opens clients for a case; afterwards nothing of them may be left."""
        before = alive()
        clients: list[LaneStore] = []

        async def open_one() -> LaneStore:
            clients.append(await self.open(store, clock))
            return clients[-1]

        yield open_one
        for client in clients:
            await client.close()
        assert alive() - before == set(), "these tasks and threads outlived their clients"

    @pytest_asyncio.fixture
    async def lanes(self, open_lanes: OpenLanes) -> LaneStore:
        """The client that most cases begin with."""
        return await open_lanes()

    @pytest_asyncio.fixture
    async def other(self, open_lanes: OpenLanes) -> LaneStore:
        """A second client of the same store."""
        return await open_lanes()
