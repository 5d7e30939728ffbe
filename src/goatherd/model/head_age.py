"""How old the head of a queue is, worked out from how much has come in and how much is left.

Of a queue in order, the head is the first that has not left: if n have come in and r are ready, it is the one that came
as number n - r + 1. When that was, is known as well as the moments are apart at which somebody counted.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace

import msgspec

from goatherd.model.topology import QueueState

#: Counts that are remembered of one queue; of more, every second is forgotten.
MOST_COUNTS = 1000


class Inflow(msgspec.Struct, frozen=True, kw_only=True):
    """A queue at one moment."""

    #: Messages that have ever come in.
    came: int
    ready: int


class HeadAge:
    """Of one queue."""

    def __init__(self) -> None:
        self._moments: list[float] = []
        self._came: list[int] = []
        #: Whether the last age is that of the head, and not only how long it is watched.
        self.certain = False

    def note(self, inflow: Inflow, now: float) -> float:
        """The age of the head in seconds; at least that, if it came before anybody counted."""
        if self._came and inflow.came < self._came[-1]:
            # The broker counts anew.
            self._moments, self._came = [], []
        self._moments.append(now)
        self._came.append(inflow.came)
        self.certain = True
        if inflow.ready <= 0:
            self._forget_before(len(self._came) - 1)
            return 0.0
        left = inflow.came - inflow.ready
        after = bisect_right(self._came, left)
        if after == 0:
            self.certain = False
            return now - self._moments[0]
        self._forget_before(after - 1)
        return now - self._moment_of(left + 1)

    def _moment_of(self, number: int) -> float:
        """When the message of that number came, which is between the first two counts that are remembered."""
        share = (number - self._came[0]) / (self._came[1] - self._came[0])
        return self._moments[0] + share * (self._moments[1] - self._moments[0])

    def _forget_before(self, place: int) -> None:
        del self._moments[:place], self._came[:place]
        if len(self._came) > MOST_COUNTS:
            # The oldest two say when the head came, and the last one goes on.
            del self._moments[2:-1:2], self._came[2:-1:2]


class HeadAges:
    """Of all queues of which it is told how much came in."""

    def __init__(self) -> None:
        self._heads: dict[str, HeadAge] = {}
        self._ages: dict[str, float] = {}

    def note(self, inflows: Mapping[str, Inflow], now: float) -> None:
        """The queues at one moment; one that is not told any more is forgotten."""
        self._heads = {name: self._heads.get(name) or HeadAge() for name in inflows}
        self._ages = {name: self._heads[name].note(inflow, now) for name, inflow in inflows.items()}

    def of(self, state: QueueState, *, certain: bool = False) -> QueueState:
        """The same with the age of what waits there, if that is not known otherwise.

        At least that, unless it must be `certain`: of what came before anybody counted only so much is known.
        """
        head = self._heads.get(state.name)
        if not state.ready or state.oldest_age is not None or head is None or (certain and not head.certain):
            return state
        return replace(state, oldest_age=self._ages[state.name])
