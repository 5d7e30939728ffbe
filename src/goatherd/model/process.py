"""A process that does something for the app, as it tells of itself, and what it has counted."""

from collections.abc import Iterator, Mapping

import msgspec

#: Jobs that a process tells of by name; of the rest it tells only how many they are.
MOST_TOLD = 50
#: Seconds over which what was counted is summed up on record.
BUCKET = 10
#: Seconds for which that is kept.
KEPT = 24 * 3600.0
#: Parts into which the counts of one report are divided at most.
MOST_SLICES = 360
#: What events of streams are counted under, which belong to no queue.
STREAMS = ""


class RunningJob(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker does now."""

    job_id: str
    task: str
    queue: str
    #: The lane that it holds meanwhile; empty if it has none.
    key: str = ""
    #: In seconds since the epoch.
    since: float


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """How often something happened."""

    #: Jobs that this process sent.
    sent: int = 0
    #: Attempts by their end: well; badly, which whoever called was told, or too late; badly, and tried again.
    done: int = 0
    failed: int = 0
    retried: int = 0
    #: Jobs that became dead letters.
    dead: int = 0

    def __add__(self, other: "Counted") -> "Counted":
        return Counted(**{name: getattr(self, name) + getattr(other, name) for name in COUNTS})

    def __sub__(self, other: "Counted") -> "Counted":
        return Counted(**{name: getattr(self, name) - getattr(other, name) for name in COUNTS})

    def __bool__(self) -> bool:
        return any(self.values)

    @property
    def values(self) -> tuple[int, ...]:
        """In the order of the fields."""
        return msgspec.structs.astuple(self)


#: The names of what is counted, in the order of rows.
COUNTS: tuple[str, ...] = Counted.__struct_fields__
NOTHING = Counted()


class ProcessState(msgspec.Struct, frozen=True, kw_only=True):
    """How a process stands."""

    #: Unlike its pid it is never used again: `host:pid:…`.
    id: str
    host: str
    pid: int
    roles: tuple[str, ...]
    #: Of Goatherd.
    version: str
    #: In seconds since the epoch, by its own clock.
    started: float
    #: Where it takes jobs from, listeners by their pattern, and how many it does at once.
    queues: tuple[str, ...] = ()
    concurrency: int = 0
    #: The longest-running of what it does, and how many there are in all.
    running: tuple[RunningJob, ...] = ()
    running_count: int = 0
    #: Bytes of memory that it has in use; None if the system does not tell.
    memory: int | None = None
    #: Browsers that are connected to it.
    streams: int = 0
    #: Whether it can do its work, and what is wrong.
    ready: bool = True
    reasons: tuple[str, ...] = ()


class ProcessReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a process tells."""

    state: ProcessState
    #: Counts from 1; what the report of a number counted is added once, however often it arrives.
    number: int
    #: What happened since the report before, by queue, or by pattern where a task has many queues.
    counted: Mapping[str, Counted] = {}
    #: Events that were sent to browsers since then.
    stream_events: int = 0
    #: Over how many seconds it was counted; more than usual after the store was away.
    seconds: float = 0.0


class ProcessRow(msgspec.Struct, frozen=True, kw_only=True):
    """A living process as it is on record."""

    state: ProcessState
    #: Seconds since it was last heard of.
    silent: float


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """What all processes together counted in one span of time."""

    #: When it began, in seconds since the epoch by the store's clock.
    at: float
    #: How long it is; the newest has just begun.
    seconds: float
    counted: Counted = NOTHING
    stream_events: int = 0


class Slice(msgspec.Struct, frozen=True, kw_only=True):
    """A part of what a report counted."""

    #: How many buckets before that in which the report arrives.
    ago: int
    name: str
    counted: Counted = NOTHING
    stream_events: int = 0


def slices_of(report: ProcessReport) -> Iterator[Slice]:
    """What a report counted, spread evenly over the time in which it was: a store that was away shows no peak."""
    buckets = min(int(report.seconds // BUCKET), int(KEPT // BUCKET))
    agos = range(0, max(1, buckets), -(-buckets // MOST_SLICES) or 1)
    for name, counted in sorted(report.counted.items()):
        shares = zip(*(_parts(value, len(agos)) for value in counted.values), strict=True)
        for ago, share in zip(agos, shares, strict=True):
            if any(share):
                yield Slice(ago=ago, name=name, counted=Counted(**dict(zip(COUNTS, share, strict=True))))
    for ago, events in zip(agos, _parts(report.stream_events, len(agos)), strict=True):
        if events:
            yield Slice(ago=ago, name=STREAMS, stream_events=events)


def _parts(count: int, spans: int) -> list[int]:
    """Whole numbers that are as equal as can be and add up to it."""
    each, left = divmod(count, spans)
    return [each + (at < left) for at in range(spans)]
