"""How fast a queue fills and empties."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from goatherd.model.head_age import Inflow

#: Seconds over which changes are averaged: a shorter time would jump about, a longer one would lag behind.
WINDOW = 5.0


@dataclass(frozen=True, kw_only=True)
class Flow:
    """Messages a second, as the broker counts them; None where it does not."""

    arriving: float | None = None
    leaving: float | None = None
    #: How much has ever come in, from which the age of what waits is worked out.
    inflow: Inflow | None = None


class Changes:
    """By how many a second the counts of names grow or shrink, from one look to the next."""

    def __init__(self, window: float = WINDOW) -> None:
        self._window = window
        self._looks: deque[tuple[float, Mapping[str, int]]] = deque()

    def look(self, at: float, counts: Mapping[str, int]) -> None:
        """The counts of a moment, later than all before."""
        self._looks.append((at, counts))
        # One that is older stays, so that there is always something to compare with.
        while len(self._looks) > 2 and self._looks[1][0] <= at - self._window:
            self._looks.popleft()

    def per_second(self, name: str) -> float | None:
        """Since the oldest look of the window that knew the name; None after only one."""
        if not self._looks or name not in self._looks[-1][1]:
            return None
        at, counts = self._looks[-1]
        for before, known in self._looks:
            if name in known and before < at:
                return (counts[name] - known[name]) / (at - before)
        return None
