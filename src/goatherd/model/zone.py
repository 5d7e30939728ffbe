"""Time zones: what the clocks on the wall show, and when they are set forward or back."""

import difflib
import zoneinfo
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - the beginning of wall times, which are of no zone
_DAY = 86400


@lru_cache(256)
def zone_of(name: str) -> "Zone":
    """The zone of that name; raises ValueError that says what to do."""
    # That one is known without any database.
    if name == "UTC":
        return Zone(UTC)
    try:
        return Zone(zoneinfo.ZoneInfo(name))
    except (KeyError, ValueError, OSError) as error:
        raise ValueError(_advice(name)) from error


def _advice(name: str) -> str:
    known = zoneinfo.available_timezones()
    if not known:
        return (
            "this machine has no time zones. Install the package tzdata, of the system or with `pip install tzdata`; "
            "or use 'UTC', which needs none."
        )
    spelled = {zone.lower(): zone for zone in known}
    near = difflib.get_close_matches(name.lower(), spelled, n=1)
    hint = f" Did you mean {spelled[near[0]]!r}?" if near else ""
    return f"there is no such time zone. Give a name like 'Europe/Berlin', or 'UTC'.{hint}"


class Zone:
    """One zone; moments are whole seconds since the epoch, wall times are counted the same way."""

    def __init__(self, rules: tzinfo) -> None:
        self._rules = rules
        self._steady = rules is UTC

    def offset(self, moment: int) -> int:
        """What the wall shows at this moment is so many seconds ahead of UTC."""
        if self._steady:
            return 0
        ahead = datetime.fromtimestamp(moment, self._rules).utcoffset()
        return 0 if ahead is None else round(ahead.total_seconds())

    def moment(self, wall: int) -> int:
        """When the wall first shows that, or, if it never does, when it first shows more."""
        if self._steady:
            return wall
        ahead = (_EPOCH + timedelta(seconds=wall)).replace(tzinfo=self._rules).utcoffset()
        offset = 0 if ahead is None else round(ahead.total_seconds())
        moment = wall - offset
        if self.offset(moment) == offset:
            return moment
        # The offset was that from before the clock was set forward.
        change = self.last_change(moment - 2 * _DAY, moment)
        return moment if change is None else change

    def first_wall(self, after: int) -> int:
        """The first wall time that is first shown later than this moment."""
        low = after + self.offset(after) + 1
        if self.moment(low) > after:
            return low
        # It is shown for the second time; what is shown for the first time comes when that is over.
        high = low + 2 * _DAY
        while low < high:
            middle = (low + high) // 2
            if self.moment(middle) > after:
                high = middle
            else:
                low = middle + 1
        return low

    def first_change(self, after: int, upto: int) -> int | None:
        """The first moment later than `after`, and `upto` at the latest, at which the clocks are set."""
        if self._steady:
            return None
        while after < upto:
            # Nowhere are they set twice in a day.
            until = min(after + _DAY, upto)
            if self.offset(after) != self.offset(until):
                return self._change(after, until)
            after = until
        return None

    def last_change(self, after: int, upto: int) -> int | None:
        """The last such moment."""
        if self._steady:
            return None
        while after < upto:
            since = max(upto - _DAY, after)
            if self.offset(since) != self.offset(upto):
                return self._change(since, upto)
            upto = since
        return None

    def _change(self, before: int, changed: int) -> int:
        offset = self.offset(before)
        while changed - before > 1:
            middle = (before + changed) // 2
            if self.offset(middle) == offset:
                before = middle
            else:
                changed = middle
        return changed
