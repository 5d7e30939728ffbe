"""The times that a cron expression names, as a clock on the wall shows them, whatever the zone.

A wall time is a whole number: the seconds from 1970-01-01 00:00 to it as if no clock was ever set forward or back.
"""

from bisect import bisect_left
from datetime import date, timedelta

from cronsim import CronSim

DAY = 86400
_EPOCH = date(1970, 1, 1).toordinal()
#: Every kind of year, by its length and its first weekday, comes within so many days, also around 2100.
_SEARCHED = 50 * 366


class Pattern:
    """The days by their date and weekday, and the times of such a day."""

    def __init__(self, fields: CronSim) -> None:
        self._fields = fields
        self._hours = tuple(sorted(fields.hours))
        self._minutes = tuple(sorted(fields.minutes))
        self._seconds = tuple(sorted(fields.seconds))
        self._in_hour = len(self._minutes) * len(self._seconds)
        self._in_day = len(self._hours) * self._in_hour

    def first(self, start: int) -> int | None:
        """The first time at `start` or later; None if there is none in fifty years."""
        day, second = divmod(start, DAY)
        place = self._rank(second) if self._is_named(day) else self._in_day
        if place == self._in_day:
            found = self._day_from(day + 1, 1)
            return None if found is None else found * DAY + self._time(0)
        return day * DAY + self._time(place)

    def last(self, end: int) -> int | None:
        """The last time at `end` or earlier; None if there is none in fifty years."""
        day, second = divmod(end, DAY)
        place = self._rank(second + 1) if self._is_named(day) else 0
        if place == 0:
            found = self._day_from(day - 1, -1)
            return None if found is None else found * DAY + self._time(self._in_day - 1)
        return day * DAY + self._time(place - 1)

    def count(self, start: int, end: int) -> int:
        """How many there are from `start` on and before `end`."""
        if end <= start:
            return 0
        (first_day, first_second), (last_day, last_second) = divmod(start, DAY), divmod(end, DAY)
        whole = sum(self._is_named(day) for day in range(first_day, last_day)) * self._in_day
        begun = self._rank(last_second) if self._is_named(last_day) else 0
        over = self._rank(first_second) if self._is_named(first_day) else 0
        return whole + begun - over

    def _is_named(self, day: int) -> bool:
        named = date.fromordinal(_EPOCH + day)
        return named.month in self._fields.months and self._fields.match_day(named)

    def _day_from(self, day: int, step: int) -> int | None:
        looked = date.fromordinal(_EPOCH + day)
        for _ in range(_SEARCHED):
            if looked.month in self._fields.months and self._fields.match_day(looked):
                return looked.toordinal() - _EPOCH
            looked += timedelta(days=step)
        return None

    def _rank(self, second: int) -> int:
        """How many times of a day are earlier than this second of it."""
        hour, rest = divmod(second, 3600)
        minute, second = divmod(rest, 60)
        at_hour = bisect_left(self._hours, hour)
        rank = at_hour * self._in_hour
        if hour not in self._fields.hours:
            return rank
        at_minute = bisect_left(self._minutes, minute)
        rank += at_minute * len(self._seconds)
        return rank + bisect_left(self._seconds, second) if minute in self._fields.minutes else rank

    def _time(self, place: int) -> int:
        """The second of the day at this place in the row of its times."""
        at_hour, rest = divmod(place, self._in_hour)
        at_minute, at_second = divmod(rest, len(self._seconds))
        return self._hours[at_hour] * 3600 + self._minutes[at_minute] * 60 + self._seconds[at_second]
