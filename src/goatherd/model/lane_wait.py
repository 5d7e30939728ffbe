"""What of a queue waits in lanes, and for how long."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

#: Ready lanes of a queue that are counted, so that a look costs the same however many there are.
MOST_READY = 10_000
#: Of what is due and nobody has seen to, as much is looked at as a worker sees to at once.
MOST_OVERDUE = 100


class LaneWait(msgspec.Struct, frozen=True, kw_only=True):
    """What of one queue waits in lanes for a worker."""

    queue: str
    #: Lanes whose head could be done now and that nobody has.
    lanes: int
    #: Seconds for which that has waited which comes next; 0 if nothing waits.
    oldest: float


class ReadyLanes(msgspec.Struct, frozen=True):
    """Lanes of one queue that are ready."""

    count: int
    #: Since when that one is whose turn is next; None if there is none. Seconds since the epoch.
    since: float | None


class Overdue(msgspec.Struct, frozen=True):
    """A lane whose lease ran out or whose delay is over, or that a delayed job should have joined."""

    queue: str
    lane: str
    #: Seconds since the epoch.
    due: float


def lane_waits(
    ready: Mapping[str, ReadyLanes], overdue: Iterable[Overdue], now: float, most: int
) -> Sequence[LaneWait]:
    """What waits, by queue.

    Without workers nobody sees to what is due, and it would be ready if somebody did. A lane that is ready, and that a
    delayed job should have joined, is counted twice: to know it would take a look at every lane.
    """
    late: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for each in overdue:
        lanes = late[each.queue]
        lanes[each.lane] = min(each.due, lanes.get(each.lane, each.due))
    return [
        LaneWait(
            queue=queue,
            lanes=min(most, those.count + len(late[queue])),
            oldest=max(0.0, now - min([*late[queue].values(), now if those.since is None else those.since])),
        )
        for queue, those in ready.items()
    ]
