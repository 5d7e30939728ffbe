"""What the suite of tallies stands on: an empty store with a clock that cases move, seen as tallies and as lanes."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, ClassVar, TypeAlias

import pytest
import pytest_asyncio

from goatherd.model.lane import LaneItem
from goatherd.model.tally import Batch
from goatherd.ports.tallies import Tallies
from goatherd.testing.suites.lane_people import QUEUE
from goatherd.testing.suites.lane_store import LaneStore, StandingClock
from goatherd.testing.suites.store import alive

#: The tally of cases that need only one, and seconds between two of its rounds.
TALLY, EVERY = "pending_gift", 5.0
#: More batches than most cases have.
ENOUGH = 100

#: Opens one more client of the case's store; all are closed when the case ends.
OpenTallies: TypeAlias = Callable[[], Awaitable[Tallies]]


def lane_of(key: str) -> str:
    """Where the totals of a key go."""
    return f"{QUEUE}/key={key}"


def job_of(batch: Batch, **properties: Any) -> tuple[Batch, LaneItem]:
    """A batch and its job, whose content tells its total."""
    told = {"id": f"{batch.key}:{batch.seq}", "content": str(batch.total).encode()}
    return batch, LaneItem(**{**told, "lane": lane_of(batch.key), "queue": QUEUE, **properties})


async def sealed(tallies: Tallies, tally: str = TALLY, limit: int = ENOUGH) -> list[Batch]:
    """What is set apart now."""
    return list((await tallies.seal(tally, EVERY, limit)).batches)


async def post_all(tallies: Tallies, tally: str = TALLY) -> list[Batch]:
    """Make jobs of all that is due; tells of what."""
    posted: list[Batch] = []
    while batches := await sealed(tallies, tally):
        assert await tallies.post(tally, [job_of(batch) for batch in batches]) == len(batches)
        posted += batches
    return posted


class TallyCases:
    """What the parts of the suite have in common; see `TalliesSuite`."""

    # Written here, so that the suite runs in both modes of pytest-asyncio.
    pytestmark: ClassVar[pytest.MarkDecorator] = pytest.mark.asyncio

    @pytest.fixture
    def store(self) -> Any:
        """An empty store, in whatever form `open` takes it."""
        raise NotImplementedError("Give the suite a fixture `store`: an empty store, such as the path of a new file.")

    async def open(self, store: Any, now: Callable[[], float] | None = None) -> Tallies:
        """Open one client, whose store has this clock instead of its own; called several times for one store."""
        raise NotImplementedError("Give the suite a method `open(store, now)` that returns one more client.")

    async def open_lanes(self, store: Any, now: Callable[[], float] | None = None) -> LaneStore:
        """Open the lanes of the same store."""
        raise NotImplementedError("Give the suite a method `open_lanes(store, now)`, as that of `LanesSuite`.")

    async def wipe(self, store: Any) -> None:
        """Make the store lose all that it keeps, while its clients live on."""
        raise NotImplementedError("Give the suite a method `wipe(store)` that deletes everything.")

    async def kept(self, store: Any) -> Sequence[str]:
        """What the store keeps of keys, batches and ids, by name; what it keeps of a tally itself does not count."""
        raise NotImplementedError("Give the suite a method `kept(store)` that tells what is left of tallies.")

    @pytest.fixture
    def clock(self) -> StandingClock:
        """The time of every client."""
        return StandingClock()

    @pytest_asyncio.fixture
    async def open_tallies(self, store: Any, clock: StandingClock) -> AsyncIterator[OpenTallies]:
        """Opens clients for a case; afterwards nothing of them may be left."""
        before = alive()
        clients: list[Tallies] = []

        async def open_one() -> Tallies:
            clients.append(await self.open(store, clock))
            return clients[-1]

        yield open_one
        for client in clients:
            await client.close()
        assert alive() - before == set(), "these tasks and threads outlived their clients"

    @pytest_asyncio.fixture
    async def tallies(self, open_tallies: OpenTallies) -> Tallies:
        """The client that most cases begin with."""
        return await open_tallies()

    @pytest_asyncio.fixture
    async def other(self, open_tallies: OpenTallies) -> Tallies:
        """A second client of the same store."""
        return await open_tallies()

    @pytest_asyncio.fixture
    async def lanes(self, store: Any, clock: StandingClock) -> AsyncIterator[LaneStore]:
        """The lanes of the same store."""
        lanes = await self.open_lanes(store, clock)
        yield lanes
        await lanes.close()
