"""What the suite of pipelines' records stands on: an empty store, and a clock that cases move."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, ClassVar, Protocol, TypeAlias

import pytest
import pytest_asyncio

from goatherd.ports.steps import RunOperations, Steps
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.store import alive


class StepStore(Steps, RunOperations, Protocol):
    """What an adapter of pipelines' records satisfies."""


#: Opens one more client of the case's store; all are closed when the case ends.
OpenStore: TypeAlias = Callable[[], Awaitable[StepStore]]


class StepsCases:
    """What the parts of the suite have in common; see `StepsSuite`."""

    # Written here, so that the suite runs in both modes of pytest-asyncio.
    pytestmark: ClassVar[pytest.MarkDecorator] = pytest.mark.asyncio

    @pytest.fixture
    def store(self) -> Any:
        """An empty store, in whatever form `open` takes it."""
        raise NotImplementedError("Give the suite a fixture `store`: an empty store, such as the path of a new file.")

    async def open(self, store: Any, now: Callable[[], float] | None = None) -> StepStore:
        """Open one client, whose store has this clock instead of its own; called several times for one store."""
        raise NotImplementedError("Give the suite a method `open(store, now)` that returns one more client.")

    async def kept(self, store: Any) -> Sequence[str]:
        """What the store keeps of runs, units and letters, by name; workers' last exchanges do not count."""
        raise NotImplementedError("Give the suite a method `kept(store)` that tells what is left of runs.")

    @pytest.fixture
    def clock(self) -> StandingClock:
        """The time of every client that `open_store` opens."""
        return StandingClock()

    @pytest_asyncio.fixture
    async def open_store(self, store: Any, clock: StandingClock) -> AsyncIterator[OpenStore]:
        """Opens clients for a case; afterwards nothing of them may be left."""
        before = alive()
        clients: list[StepStore] = []

        async def open_one() -> StepStore:
            clients.append(await self.open(store, clock))
            return clients[-1]

        yield open_one
        for client in clients:
            await client.close()
        assert alive() - before == set(), "these tasks and threads outlived their clients"

    @pytest_asyncio.fixture
    async def steps(self, open_store: OpenStore) -> StepStore:
        """The client that most cases begin with."""
        return await open_store()

    @pytest_asyncio.fixture
    async def other(self, open_store: OpenStore) -> StepStore:
        """A second client of the same store."""
        return await open_store()
