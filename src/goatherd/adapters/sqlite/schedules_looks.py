"""What there is to do of schedules, and how they stand."""

from collections.abc import Sequence
from typing import Any, Literal

import apsw

from goatherd.adapters.schedule_rows import due_in, firing_in, unpacked_rule
from goatherd.adapters.sqlite.queries import rows, run, value
from goatherd.adapters.sqlite.schedules_firings import read
from goatherd.model.schedule import DueSchedule, Firing, ScheduleLook, ScheduleState


def look_at(connection: apsw.Connection, now: float, names: Sequence[str], limit: int) -> ScheduleLook:
    """What there is to do of these, and of those that send jobs."""
    return ScheduleLook(
        now=now,
        due=_due(connection, now, names, limit),
        firings=_due_firings(connection, names, limit),
        next_at=_next_moment(connection, now, names),
    )


def states(connection: apsw.Connection) -> list[ScheduleState]:
    """All schedules that there are."""
    return [_state(connection, row) for row in rows(connection, "list_schedules")]


def history(connection: apsw.Connection, name: str, limit: int) -> list[Firing]:
    """Its firings, newest first."""
    return [firing_in(name, row) for name, *row in rows(connection, "firings_of_schedule", (name, limit))]


def forget(connection: apsw.Connection, before: float, limit: int) -> int:
    """Forget what was over before that moment."""
    forgotten = run(connection, "forget_firings", (before, limit))
    run(connection, "forget_removed_schedules", (limit,))
    return forgotten


def _due(connection: apsw.Connection, now: float, names: Sequence[str], limit: int) -> tuple[DueSchedule, ...]:
    own = [row for name in names for row in rows(connection, "due_schedule", (name, now))]
    others = rows(connection, "due_schedules_with_jobs", (now, limit))
    # One that was set may be among the names, too.
    unlike = {name: (due, name, *row) for due, name, *row in [*sorted(own, key=_by_time), *others]}
    return tuple(due_in(row) for _, *row in list(unlike.values())[:limit])


def _due_firings(connection: apsw.Connection, names: Sequence[str], limit: int) -> tuple[Firing, ...]:
    own = [row for name in names for row in rows(connection, "due_firings", (name, limit))]
    others = rows(connection, "due_firings_with_jobs", (limit,))
    unlike = {place: (name, row) for place, name, *row in [*sorted(own, key=lambda row: row[0]), *others]}
    return tuple(firing_in(*each) for each in list(unlike.values())[:limit])


def _by_time(row: Sequence[Any]) -> tuple[float, str]:
    due, name, *_ = row
    return due, name


def _next_moment(connection: apsw.Connection, now: float, names: Sequence[str]) -> float | None:
    moments = [value(connection, "next_moment_of_schedule", (name, now)) for name in names]
    moments.append(value(connection, "next_moment_with_job", (now,)))
    return min((moment for moment in moments if moment is not None), default=None)


def _state(connection: apsw.Connection, row: Sequence[Any]) -> ScheduleState:
    name, rule, is_chosen, sends, lives, paused, next_at, open, waiting, newest, newest_end = row
    origin: Literal["code", "set", "gone"] = "gone"
    if sends or lives:
        origin = "set" if is_chosen else "code"
    return ScheduleState(
        name=name,
        rule=unpacked_rule(rule),
        origin=origin,
        paused=bool(paused),
        next_at=next_at,
        open=open,
        waiting=waiting,
        last=read(connection, newest),
        last_end=read(connection, newest_end),
    )
