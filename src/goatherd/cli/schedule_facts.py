"""Schedules as people and programs want to see them: what is on record, or else what the code says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from goatherd.model.envelope import moment
from goatherd.model.schedule import Cron, Delay
from goatherd.model.timing import described, jitter_of, next_tick

if TYPE_CHECKING:
    from datetime import datetime

    from goatherd.model.schedule import Firing, ScheduleRule, ScheduleState


@dataclass(frozen=True, kw_only=True)
class Coming:
    """One tick to come."""

    tick: float
    #: With its jitter.
    due: float


@dataclass(frozen=True, kw_only=True)
class ScheduleFacts:
    """One schedule; it has no state if no scheduler has run since it was declared."""

    name: str
    rule: ScheduleRule
    state: ScheduleState | None

    @property
    def when(self) -> str:
        """Its times, in words."""
        return described(self.rule)

    @property
    def origin(self) -> str:
        """Who wants it."""
        return "code" if self.state is None else self.state.origin

    @property
    def paused(self) -> bool:
        """Whether it fires no more for now."""
        return self.state is not None and self.state.paused

    @property
    def after_end(self) -> bool:
        """Whether its times depend on the ends of runs."""
        return isinstance(self.rule.timing, Delay)

    @property
    def zone(self) -> str:
        """In which its times are meant."""
        return self.rule.timing.tz if isinstance(self.rule.timing, Cron) else "UTC"

    def next_at(self, now: float) -> float | None:
        """When it is due; None if it is paused or gone, never comes, or depends on the end of a run."""
        if self.paused or self.origin == "gone":
            return None
        if self.state is not None and self.state.next_at is not None:
            return self.state.next_at
        coming = self.coming(now, 1)
        return coming[0].due if coming else None

    def coming(self, now: float, count: int) -> list[Coming]:
        """The next ticks by its rule, however many are worked on, paused or not."""
        found: list[Coming] = []
        tick = next_tick(self.rule, now)
        while tick is not None and len(found) < count:
            found.append(Coming(tick=tick, due=tick + jitter_of(self.name, self.rule, tick)))
            tick = next_tick(self.rule, tick)
        return found

    def as_json(self, now: float) -> dict[str, Any]:
        """For programs."""
        state = self.state
        return {
            "name": self.name,
            "when": self.when,
            "rule": msgspec.to_builtins(self.rule),
            "origin": self.origin,
            "on_record": state is not None,
            "paused": self.paused,
            "next_at": _time(self.next_at(now)),
            "open": 0 if state is None else state.open,
            "waiting": 0 if state is None else state.waiting,
            "last": None if state is None else firing_json(state.last),
            "last_end": None if state is None else firing_json(state.last_end),
        }


def firing_json(firing: Firing | None) -> dict[str, Any] | None:
    """One tick as it is on record, for programs."""
    if firing is None:
        return None
    return {
        "id": firing.id or None,
        "tick": moment(firing.tick),
        "state": firing.state,
        "triggered": firing.triggered,
        "missed_before": firing.missed,
        "fired_at": moment(firing.fired),
        "began_at": _time(firing.begun),
        "ended_at": _time(firing.ended),
    }


def lasted(firing: Firing) -> float | None:
    """Seconds from its beginning to its end."""
    return None if firing.begun is None or firing.ended is None else max(0.0, firing.ended - firing.begun)


def _time(at: float | None) -> datetime | None:
    return None if at is None else moment(at)
