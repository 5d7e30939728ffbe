"""The order path: jobs that share a key, one at a time, in the order in which they were accepted."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from goatherd.model.dead_letter import Burial
from goatherd.model.lane import (
    Exchange,
    Exchanged,
    Hold,
    LaneCondition,
    LaneItem,
    LaneJob,
    LaneLetter,
    LaneState,
    Placement,
)
from goatherd.model.lane_wait import MOST_READY, LaneWait
from goatherd.model.statement import InLane, IntoLane
from goatherd.ports.broker import Subscription

#: Called on the event loop when a lane of these queues may be ready. Must not block and must not raise.
WakeUp: TypeAlias = Callable[[], None]


class Lanes(Protocol):
    """Keeps jobs in lanes; every adapter passes `goatherd.testing.suites.LanesSuite`.

    Used from one event loop. Every method has a deadline and raises `Unavailable`, with the driver's exception as its
    cause, when the store is away, full or read-only. Time is the store's own.

    The invariants, whatever dies and whoever comes late:

    1. What changes a lane's head shows the newest token of that lane; what shows another changes nothing.
    2. Jobs leave a lane in the order of their seqs, and the content of a seq is what was put there.
    3. Every job that was taken is in a lane, waits to join one, is done, or is a letter.
    4. A lane with jobs is in exactly one condition, and there is no lane without jobs.
    5. A lane is claimed by one worker at a time.
    6. When faults stop, all lanes drain, and the store keeps nothing of them.
    7. Tokens and seqs of a lane only grow, even in a store that was emptied or has lost its latest writes: they begin
       with its clock in microseconds.

    The cost of every call follows what it moves and what is due, not the number of lanes or jobs.
    """

    async def enqueue(self, sender: str, number: int, items: Sequence[LaneItem]) -> Sequence[Placement]:
        """Put jobs at the end of their lanes, in order; durable when it returns.

        `number` grows with each call of this sender, of which there is one at a time. A call that is repeated under
        its number, because no answer came, gets the same answer and changes nothing. One under a smaller number was
        overtaken on its way: it changes nothing and raises Unavailable. Once a job finds its lane full, those of that
        lane behind it do too.
        """

    async def exchange(self, exchange: Exchange) -> Exchanged:
        """Settle what a worker had, end what is due, and claim the heads of lanes that are ready.

        A lease that ran out, a delay that is over, and a delayed job that joins its lane are seen to first, some at a
        time. Ready lanes of a queue take turns, and so do the queues; a lane that was settled goes to the end.
        Repeated under its number, it gives what it gave before, as far as the worker still has it. Under a smaller
        one it was overtaken on its way: it changes nothing and raises Unavailable.
        """

    async def beat(self, holds: Sequence[Hold], lease: float) -> Sequence[bool]:
        """Have them for so many seconds from now; tells for each whether the worker had it still."""

    async def watch(self, queues: Sequence[str], wake: WakeUp) -> Subscription:
        """Be called when a lane of these queues may be ready; calls may be lost."""

    async def letters(self, limit: int) -> Sequence[LaneLetter]:
        """Jobs on their way to the dead letters, oldest first; they stay until they are removed."""

    async def remove_letters(self, ids: Sequence[str]) -> None:
        """They are with the dead letters now. Those that are gone already do not matter."""

    def within(self, hold: Hold) -> InLane | None:
        """How a user's own transaction on the store's database moves the lane on; None where that cannot be."""

    def entry_within(self, items: Sequence[LaneItem]) -> IntoLane | None:
        """How a user's own transaction on the store's database puts jobs into lanes; None where that cannot be.

        Any thread may ask for it.
        """

    def ring(self, queues: Sequence[str]) -> None:
        """Call those who watch these queues, where such a transaction may have been committed; does not wait."""

    async def close(self) -> None:
        """Let go of the store. Idempotent."""


class LaneOperations(Protocol):
    """What operators ask of lanes; the adapter of `Lanes` satisfies it too."""

    async def find(
        self, *, condition: LaneCondition | None = None, containing: str = "", limit: int = 100
    ) -> Sequence[LaneState]:
        """Lanes whose key contains a text: held ones first, then those of the oldest condition."""

    async def get(self, key: str) -> LaneState | None:
        """One lane by its full key; None if nothing is in it."""

    async def jobs(self, key: str, limit: int) -> Sequence[LaneJob]:
        """Jobs of a lane, its head first."""

    async def waiting(self, queues: Sequence[str], most: int = MOST_READY) -> Sequence[LaneWait]:
        """What of each of these queues waits for a worker; no more than `most` lanes of each are counted.

        Also what is due, and nobody has come to see to it. Costs the same however many lanes and jobs there are.
        """

    async def retry(self, key: str, content: bytes | None = None, *, seq: int | None = None) -> bool:
        """Let its head, which is held or waits, be tried now with its deaths forgotten, and with this content.

        False if it is neither, or if another than the job of that seq is its head by now.
        """

    async def skip(self, key: str, burial: Burial, *, seq: int | None = None) -> bool:
        """Make its head, which is held or waits, a letter, and go on; false if it is neither, or is another by now."""

    async def unblock(self, key: str) -> bool:
        """Take the lane from the worker that has it, whose attempt is void then; false if nobody has it."""
