"""The ticks of a fixed rate."""

MICROSECONDS = 1_000_000


class RateTicks:
    """At every multiple of the interval since the epoch, in whole microseconds, so that nothing adds up."""

    def __init__(self, seconds: float) -> None:
        self._interval = max(round(seconds * MICROSECONDS), 1)

    def after(self, moment: float) -> float | None:
        """The first tick later than this moment."""
        return self._tick(self._place(moment) + 1)

    def upto(self, moment: float) -> float | None:
        """The last tick at this moment or earlier."""
        return self._tick(self._place(moment))

    def count(self, after: float, upto: float) -> int:
        """How many ticks are later than the one moment, and at the other at the latest."""
        return max(self._place(upto) - self._place(after), 0)

    def _place(self, moment: float) -> int:
        """Which multiple the last tick at this moment or earlier is."""
        place = round(moment * MICROSECONDS) // self._interval
        # A moment just before a tick may have been rounded to it.
        return place - 1 if self._tick(place) > moment else place

    def _tick(self, place: int) -> float:
        return place * self._interval / MICROSECONDS


class NoTicks:
    """For what is never due by the clock."""

    def after(self, moment: float) -> float | None:
        """None."""
        return None

    def upto(self, moment: float) -> float | None:
        """None."""
        return None

    def count(self, after: float, upto: float) -> int:
        """None at all."""
        return 0
