"""Jobs that were running when a worker died: tried again so that only the guilty one is given up.

When a worker dies, every job that it ran is suspected, though at most one of them did it. If they were run together
again, the guilty one would take the others with it until all are given up. So suspects run one at a time, and
one that has a single chance left runs alone in its process: then its death is its own.
"""

from collections import deque

from goatherd.engine.admission import deaths_of
from goatherd.model.message import Delivery

#: Seconds that a last chance waits for others to end before it runs beside them after all.
LONGEST_WAIT = 30.0


class Suspects:
    """Decides when a suspected job may start."""

    def __init__(self, most_deaths: int) -> None:
        self._most_deaths = most_deaths
        self._waiting: deque[Delivery] = deque()
        self._running: Delivery | None = None
        self._waiting_since: float | None = None

    @property
    def present(self) -> bool:
        """Whether there is any suspect, waiting or running; there hardly ever is."""
        return self._running is not None or bool(self._waiting)

    @property
    def waiting(self) -> int:
        """How many have not started."""
        return len(self._waiting)

    def add(self, delivery: Delivery) -> None:
        """A job that may have killed a worker."""
        self._waiting.append(delivery)

    def next(self, others_running: int, now: float) -> Delivery | None:
        """The suspect to start now, if one may."""
        if not self._waiting or self._running is not None:
            return None
        if self._is_last_chance(self._waiting[0]) and others_running and not self._waited_enough(now):
            return None
        self._waiting_since = None
        self._running = self._waiting.popleft()
        return self._running

    @property
    def hold_up_others(self) -> bool:
        """Whether nothing else may start: a last chance runs alone, or waits until it can."""
        first = self._running or (self._waiting[0] if self._waiting else None)
        return first is not None and self._is_last_chance(first)

    def ended(self, delivery: Delivery) -> None:
        """A job ended; if it was a suspect, the next may start."""
        if self._running is delivery:
            self._running = None

    def take_all(self) -> list[Delivery]:
        """Those that have not started, to be handed back."""
        taken = list(self._waiting)
        self._waiting.clear()
        return taken

    def _is_last_chance(self, delivery: Delivery) -> bool:
        return deaths_of(delivery) == self._most_deaths - 1

    def _waited_enough(self, now: float) -> bool:
        if self._waiting_since is None:
            self._waiting_since = now
        return now - self._waiting_since >= LONGEST_WAIT
