"""What the machine of lanes stands on: a store of its own for each life."""

from collections.abc import Callable, Sequence
from typing import Protocol

from goatherd.testing.suites.lane_store import LaneStore


class Ground(Protocol):
    """A place for stores."""

    #: Whether numbers grow even if the store's clock is set back; else they follow the clock alone.
    outlasts_its_clock: bool

    async def clear(self) -> None:
        """Begin with an empty store; what was opened before is closed."""

    async def open(self, now: Callable[[], float]) -> LaneStore:
        """One more client of that store, as another process has it."""

    async def wipe(self) -> None:
        """Make the store lose all that it keeps, while its clients live on."""

    async def kept(self) -> Sequence[str]:
        """What the store keeps of lanes, jobs and letters, by name."""
