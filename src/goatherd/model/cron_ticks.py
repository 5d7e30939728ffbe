"""The ticks of a cron expression in a time zone, also on days when clocks are set forward or back.

- An expression that begins its minutes or its hours with a star names a frequency: it is due whenever a clock on the
  wall shows a time that fits; not in an hour that is left out, and again in an hour that comes twice.
- Any other one names times of the day. Each comes once: the first time in an hour that comes twice; and those in an
  hour that is left out come together, once, at the moment when the clock is set forward.
"""

import math

from goatherd.model.cron import Expression
from goatherd.model.zone import Zone

#: Longer than any time that a clock was ever set forward or back.
_SHIFT = 2 * 86400


class FixedTicks:
    """Of an expression that names times of the day."""

    def __init__(self, expression: Expression, zone: Zone) -> None:
        self._pattern, self._zone = expression.pattern, zone

    def after(self, moment: float) -> float | None:
        """The first tick later than this moment."""
        wall = self._pattern.first(self._zone.first_wall(math.floor(moment)))
        return None if wall is None else float(self._zone.moment(wall))

    def upto(self, moment: float) -> float | None:
        """The last tick at this moment or earlier."""
        wall = self._pattern.last(self._zone.first_wall(math.floor(moment)) - 1)
        return None if wall is None else float(self._zone.moment(wall))

    def count(self, after: float, upto: float) -> int:
        """How many ticks are later than the one moment, and at the other at the latest."""
        start, end = math.floor(after), math.floor(upto)
        found = self._pattern.count(self._zone.first_wall(start), self._zone.first_wall(end))
        change = self._zone.first_change(start, end)
        while change is not None:
            # Times that are left out come together with the one at which the clock goes on.
            before, since = self._zone.offset(change - 1), self._zone.offset(change)
            together = self._pattern.count(change + before, change + since + 1) if since > before else 0
            found -= max(together - 1, 0)
            change = self._zone.first_change(change, end)
        return found


class FrequentTicks:
    """Of an expression that names a frequency."""

    def __init__(self, expression: Expression, zone: Zone) -> None:
        self._pattern, self._zone = expression.pattern, zone

    def after(self, moment: float) -> float | None:
        """The first tick later than this moment."""
        start = math.floor(moment) + 1
        while True:
            offset = self._zone.offset(start)
            wall = self._pattern.first(start + offset)
            if wall is None:
                return None
            found = wall - offset
            # However clocks are set in the meantime, something else can fit only near the two.
            change = self._zone.first_change(start, min(found, start + _SHIFT))
            near = max(start, found - _SHIFT)
            if change is None and self._zone.offset(near) == offset:
                change = self._zone.first_change(near, found)
                if change is None:
                    return float(found)
            start = near if change is None else change

    def upto(self, moment: float) -> float | None:
        """The last tick at this moment or earlier."""
        end = math.floor(moment)
        while True:
            offset = self._zone.offset(end)
            wall = self._pattern.last(end + offset)
            if wall is None:
                return None
            found = wall - offset
            change = self._zone.last_change(max(found, end - _SHIFT), end)
            near = min(end, found + _SHIFT)
            if change is None and self._zone.offset(near) == offset:
                change = self._zone.last_change(found, near)
                if change is None:
                    return float(found)
            end = near if change is None else change - 1

    def count(self, after: float, upto: float) -> int:
        """How many ticks are later than the one moment, and at the other at the latest."""
        start, end, found = math.floor(after) + 1, math.floor(upto), 0
        while start <= end:
            change = self._zone.first_change(start, end)
            until = end + 1 if change is None else change
            offset = self._zone.offset(start)
            found += self._pattern.count(start + offset, until + offset)
            start = until
        return found
