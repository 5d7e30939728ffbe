"""Counters by key, on the store of lanes, whose totals become jobs in these lanes: nothing lost or counted twice."""

from collections.abc import Sequence
from typing import Protocol

from goatherd.model.lane import LaneItem
from goatherd.model.tally import Batch, Sealed


class Tallies(Protocol):
    """Keeps the tallies of one app; every adapter passes `goatherd.testing.suites.TalliesSuite`.

    Used from one event loop. Every method has a deadline and raises `Unavailable`. Time is the store's own. All but
    `add` without an id may be repeated; that one is not tried a second time by anybody below the caller.

    1. A coin is in a key's counter, in its batch, or in a job that was made of one; never in two of them.
    2. A key has at most one batch; it is given again and again, unchanged, until it has become a job.
    3. The batches of a key become jobs in the order of their seqs.
    """

    async def add(self, tally: str, key: str, amount: int, id: str | None = None) -> bool:
        """Add to a counter; durable when it returns. False if an addition of that id is remembered: nothing changed.

        Raises Refused if the total would be larger than `model.tally.LARGEST`, in either direction.
        """

    async def seal(self, tally: str, every: float, limit: int) -> Sealed:
        """Set totals above zero apart, and give these batches and those that were there before: `limit` at most.

        A round begins if the last one began `every` seconds ago or longer, by whomever, and concerns what was above
        zero then; where that is more than `limit`, the next calls go on with it. Durable when it returns.
        """

    async def post(self, tally: str, batches: Sequence[tuple[Batch, LaneItem]]) -> int:
        """Put the jobs of batches at the end of their lanes and forget the batches, each in one step with its job.

        A batch that is not there any more was posted before: its job is not put anywhere. Returns how many were put.
        Lanes take these jobs however many they have, at once, and whatever their ids.
        """

    async def done(self, tally: str, batches: Sequence[Batch]) -> None:
        """Forget batches whose jobs are elsewhere, durable. Those that are gone do not matter."""

    async def waiting(self, tally: str) -> tuple[int, int]:
        """How many keys have something, in a counter or in a batch, and how much that is in all."""

    async def close(self) -> None:
        """Let go of the store. Idempotent."""
