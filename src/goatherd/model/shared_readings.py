"""What all processes of an app share, as one of them last saw it."""

from collections.abc import Mapping, Sequence

import msgspec

from goatherd.model.lane_wait import LaneWait
from goatherd.model.topology import QueueState


class ScheduleReading(msgspec.Struct, frozen=True, kw_only=True):
    """A schedule as it was seen. Times are seconds since the epoch."""

    name: str
    paused: bool
    #: Whether no program that lives has it.
    gone: bool
    #: When it is due next; None if that depends on the end of a run.
    next_at: float | None
    #: For how many seconds it was due when it was looked at.
    late: float
    #: Ticks that others put on record as missed shortly before this process looked for the first time.
    missed: int
    #: Firings that are worked on, and those that wait for them.
    open: int
    waiting: int
    #: When it last fired, and when a run of it last ended well, as far as that is on record.
    last_fired: float | None
    last_success: float | None
    #: Whether the newest run that ended did not end well, and how many seconds it took.
    failed: bool
    took: float | None


class HeldLanes(msgspec.Struct, frozen=True, kw_only=True):
    """Lanes of one queue that wait for an operator."""

    lanes: int
    #: Jobs in them, the heads included.
    jobs: int
    #: For how many seconds the oldest of them is held.
    oldest: float


class TallyReading(msgspec.Struct, frozen=True, kw_only=True):
    """What waits in a tally."""

    keys: int
    total: int


class SharedReadings(msgspec.Struct, frozen=True, kw_only=True):
    """Seen now and then by schedulers; what could not be seen is not told."""

    queues: Sequence[QueueState] = ()
    #: For how many seconds a queue has not been seen empty, by queue.
    backlog: Mapping[str, float] = {}
    #: Dead letters in all; None if that was not seen.
    dead_letters: int | None = None
    schedules: Sequence[ScheduleReading] = ()
    held: Mapping[str, HeldLanes] = {}
    #: What waits in lanes for workers, by queue.
    lane_waits: Mapping[str, LaneWait] = {}
    tallies: Mapping[str, TallyReading] = {}
    #: What was looked at: 1 if it was seen, 0 if not.
    seen: Mapping[str, int] = {}


NOTHING_SEEN = SharedReadings()
