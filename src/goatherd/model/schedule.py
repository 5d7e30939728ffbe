"""A schedule: when its task is due, what becomes of ticks that were missed, and whether two runs may overlap.

A tick is one moment at which a schedule is due. It fires once, over all processes: a firing is on record under its
schedule and the moment of its tick, and there can be only one.
"""

from typing import Literal, TypeAlias

import msgspec

#: What becomes of a tick while an earlier one is still worked on: it is passed over; it waits, if none waits yet; or
#: it starts beside it.
Overlap: TypeAlias = Literal["forbid", "queue", "allow"]
#: What becomes of ticks that nobody fired in time: the newest of them is made up for, none is, or that many are.
Misfire: TypeAlias = Literal["once", "skip"] | int


class Cron(msgspec.Struct, frozen=True, tag="cron"):
    """At the times of an expression: six fields, seconds first, or five, or a word like `@daily`."""

    expression: str
    tz: str = "UTC"


class Rate(msgspec.Struct, frozen=True, tag="rate"):
    """At every multiple of so many seconds since the epoch, so that all processes mean the same moments."""

    seconds: float


class Delay(msgspec.Struct, frozen=True, tag="delay"):
    """So many seconds after the last run ended; the first one at once."""

    seconds: float


Timing: TypeAlias = Cron | Rate | Delay


class ScheduleRule(msgspec.Struct, frozen=True, kw_only=True):
    """All that decides when a schedule fires; two processes with equal rules are of the same version."""

    timing: Timing
    overlap: Overlap = "forbid"
    misfire: Misfire = "once"
    #: Seconds by which a tick may start later, each by an amount of its own that all processes agree on.
    jitter: float = 0.0
    #: Seconds that lie at least between the beginnings of two runs.
    min_spacing: float = 0.0


#: - `due`: it fires now; whoever looks next begins its run, or sends its job.
#: - `waiting`: it fires when the one before it has ended.
#: - `open`: its run has begun.
#: - `done`, `failed`, `cancelled`: how its run ended; of a job that was only sent, `done` means that it was.
#: - `missed`: nobody was there in time; `skipped`: an earlier one was still worked on.
FiringState: TypeAlias = Literal["due", "waiting", "open", "done", "failed", "cancelled", "missed", "skipped"]


class Declared(msgspec.Struct, frozen=True, kw_only=True):
    """A schedule as a program declares it."""

    name: str
    rule: ScheduleRule


class DueSchedule(msgspec.Struct, frozen=True, kw_only=True):
    """A schedule whose time has come, as it stands."""

    name: str
    rule: ScheduleRule
    #: Grows with every change; what was decided by an older one is void.
    rev: int
    #: The moment that it is due at; None if nobody has worked that out yet.
    next_at: float | None
    #: How many of its firings are `due` or `open`, and how many wait.
    open: int
    waiting: int
    #: When the newest firing began that was neither missed nor skipped, and when the last run ended.
    last_fired: float | None = None
    last_ended: float | None = None
    #: The newest moment of a tick on record, triggered ones left out; ticks up to it are over.
    last_tick: float | None = None


class NewFiring(msgspec.Struct, frozen=True, kw_only=True):
    """What is put on record for one tick."""

    #: The moment of the tick, in seconds since the epoch; with the schedule's name it is unique.
    tick: float
    #: The id of its run or job; empty for what is missed or skipped.
    id: str = ""
    state: Literal["due", "waiting", "missed", "skipped"]
    #: How many ticks before it were missed that have no record of their own.
    missed: int = 0


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What was decided about a due schedule."""

    name: str
    rev: int
    #: Oldest first.
    firings: tuple[NewFiring, ...]
    #: When it is due next; None if that depends on the end of a run.
    next_at: float | None


class Firing(msgspec.Struct, frozen=True, kw_only=True):
    """One tick as it is on record."""

    schedule: str
    tick: float
    id: str
    state: FiringState
    #: Whether somebody asked for it, whatever the time was.
    triggered: bool = False
    missed: int = 0
    #: When it was put on record, when its run began, and when that ended.
    fired: float
    begun: float | None = None
    ended: float | None = None
    #: The job that is sent, packed as in `model.lane`; None if the schedule's own task is run.
    job: bytes | None = None


class ScheduleLook(msgspec.Struct, frozen=True, kw_only=True):
    """What there is to do now, by the store's clock."""

    now: float
    #: Schedules that are due.
    due: tuple[DueSchedule, ...]
    #: Firings that are `due`; of the schedules that were asked for by name first, and oldest first.
    firings: tuple[Firing, ...]
    #: When the next schedule is due; None if none is known to be.
    next_at: float | None


class FiringEnd(msgspec.Struct, frozen=True, kw_only=True):
    """How the run of a firing ended."""

    id: str
    state: Literal["done", "failed", "cancelled"]


class ScheduleState(msgspec.Struct, frozen=True, kw_only=True):
    """A schedule as people see it."""

    name: str
    rule: ScheduleRule
    #: `code`: a program declares it. `set`: somebody set it while the app ran. `gone`: no program that lives has it.
    origin: Literal["code", "set", "gone"]
    paused: bool
    #: None if nobody has worked it out yet, or it depends on the end of a run.
    next_at: float | None
    open: int
    waiting: int
    #: The newest firing, whatever became of it.
    last: Firing | None
    #: The newest one whose run ended.
    last_end: Firing | None
