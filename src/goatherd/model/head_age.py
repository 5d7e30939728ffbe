"""How old the head of a queue is, worked out from how much has come in and how much is left.

Of a queue in order, the head is the first that has not left: if n have come in and r are ready, it is the one that came
as number n - r + 1. When that was, is known as well as the moments are apart at which somebody counted.
"""

from bisect import bisect_right

import msgspec

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

    def note(self, inflow: Inflow, now: float) -> float:
        """The age of the head in seconds; at least that, if it came before anybody counted."""
        if self._came and inflow.came < self._came[-1]:
            # The broker counts anew.
            self._moments, self._came = [], []
        self._moments.append(now)
        self._came.append(inflow.came)
        if inflow.ready <= 0:
            self._forget_before(len(self._came) - 1)
            return 0.0
        left = inflow.came - inflow.ready
        after = bisect_right(self._came, left)
        if after == 0:
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
