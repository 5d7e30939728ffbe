"""How many messages were moved: told now and then, and noticed when they are no more."""

import time

from goatherd.ports.plumbing import Moved

#: Seconds between two tellings.
TELL_EVERY = 0.2


class Pace:
    """Of one passage from queue to queue."""

    def __init__(self, source: str, moved: Moved) -> None:
        self._source = source
        self._moved = moved
        self._count = 0
        self._told = self._last = time.monotonic()

    def add(self, count: int) -> None:
        """So many more were moved."""
        if count > 0:
            self._count += count
            self._last = time.monotonic()

    def tell(self, *, at_once: bool = False) -> None:
        """Tell how many, if it was not told just now."""
        if at_once or time.monotonic() - self._told >= TELL_EVERY:
            self._told = time.monotonic()
            self._moved(self._count)

    def restarted(self) -> "Pace":
        """It goes on in another way, which has time of its own."""
        self._last = time.monotonic()
        return self

    def stands_still_for(self, seconds: float) -> bool:
        """Whether nothing has moved for so long."""
        return time.monotonic() - self._last > seconds
