"""Schedules and their firings, plain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from goatherd.model.envelope import moment
from goatherd.model.schedule import Firing, FiringState

#: - `well`: it fires, and what it fired last went well.
#: - `failing`: the newest run that ended has failed.
#: - `late`: its time has passed, and no scheduler has fired it.
#: - `new`: no scheduler has run since it was declared; `gone`: no program that lives has it any more.
ScheduleHealth: TypeAlias = Literal["well", "failing", "late", "paused", "new", "gone"]


@dataclass(frozen=True, kw_only=True)
class FiringFacts:
    """One tick as it is on record."""

    #: Of its run or job; None for what was missed or skipped.
    id: str | None
    tick: datetime
    state: FiringState
    #: Whether somebody asked for it, whatever the time was.
    triggered: bool
    #: Ticks before it that were missed and have no record of their own.
    missed_before: int
    fired_at: datetime
    began_at: datetime | None
    ended_at: datetime | None

    @property
    def lasted(self) -> float | None:
        """Seconds from its beginning to its end."""
        if self.began_at is None or self.ended_at is None:
            return None
        return max(0.0, (self.ended_at - self.began_at).total_seconds())


@dataclass(frozen=True, kw_only=True)
class ScheduleFacts:
    """A schedule as it stands."""

    name: str
    #: Its times, in words.
    when: str
    #: What decides when it fires: timing, overlap, misfire, jitter, min_spacing.
    rule: Mapping[str, Any]
    #: `code`, `set` while the app ran, or `gone`.
    origin: str
    on_record: bool
    paused: bool
    health: ScheduleHealth
    #: The time zone in which its times are meant.
    zone: str
    #: Whether its times depend on the ends of runs.
    after_end: bool
    #: None if it is paused or gone, never comes, or depends on the end of a run.
    next_at: datetime | None
    #: Firings that are worked on, and those that wait for them.
    open: int
    waiting: int
    #: The newest firing, whatever became of it, and the newest one whose run ended.
    last: FiringFacts | None
    last_end: FiringFacts | None
    #: The app's task whose runs its ticks are; None if it sends a job, or the app has none of that name.
    task: str | None


def firing_facts(firing: Firing) -> FiringFacts:
    """One tick, plain."""
    return FiringFacts(
        id=firing.id or None,
        tick=moment(firing.tick),
        state=firing.state,
        triggered=firing.triggered,
        missed_before=firing.missed,
        fired_at=moment(firing.fired),
        began_at=time_of(firing.begun),
        ended_at=time_of(firing.ended),
    )


def time_of(seconds: float | None) -> datetime | None:
    """A time since the epoch, or none."""
    return None if seconds is None else moment(seconds)
