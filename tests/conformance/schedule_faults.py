"""Faults that stores of schedules could have, each planted into the code of a store.

The package has no switch for this. That the machine finds them shows that it would find them if we had made them.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from unittest.mock import patch

from goatherd.adapters.sqlite import schedules_firings
from goatherd.adapters.sqlite.schedules_row import ScheduleRow
from tests.conformance.lane_faults import Edit, Faults, in_postgres, in_sqlite

#: Faults of SQLite's statements.
STATEMENTS: Faults = {
    "oldest version counts": [Edit("ORDER BY appeared DESC", "ORDER BY appeared", "newest_version")],
    "versions live for ever": [Edit("until <= ?", "until <= ? - 1e9", "drop_dead_versions")],
    "newest that waits is due": [Edit("ORDER BY place", "ORDER BY place DESC", "oldest_waiting_firing")],
    "newest is forgotten": [Edit("place IS NOT newest AND", "", "forget_firings")],
    "what goes on is forgotten": [Edit("over <= ?", "coalesce(over, 0) <= ?", "forget_firings"),
                                  Edit("INDEXED BY schedule_firing_over", "", "forget_firings")],
    "end not noted": [Edit("ended = ?", "ended = ? * 0", "end_firing")],
    "tick fires twice": [Edit("VALUES (?, ?, ?,", "VALUES (?, ? + (abs(random()) % 1000) / 1e7, ?,", "add_firing")],
    "paused is due": [Edit("due <= ?", "ifnull(due, 0) <= ?", "due_schedule"),
                      Edit("SELECT due,", "SELECT ifnull(due, 0),", "due_schedule")],
}  # fmt: skip

_save = ScheduleRow.save
_end = schedules_firings._end


def _save_without_rev(self: ScheduleRow, connection: Any, now: float) -> None:
    rev = self.rev
    _save(self, connection, now)
    self.rev = rev
    self.keep(connection)


def _end_without_waiting(connection: Any, now: float, schedule: ScheduleRow, place: int, state: str) -> bool:
    waiting, schedule.waiting = schedule.waiting, 0
    to_do = _end(connection, now, schedule, place, state)
    schedule.waiting = waiting
    return to_do


def _twice(connection: Any, now: float, schedule: ScheduleRow, place: int, state: str) -> bool:
    to_do = _end(connection, now, schedule, place, state)
    schedule.open = max(0, schedule.open - 1)
    return to_do


@contextmanager
def _unguarded() -> Iterator[None]:
    with patch.object(ScheduleRow, "save", _save_without_rev):
        yield


@contextmanager
def _never_promoted() -> Iterator[None]:
    with patch.object(schedules_firings, "_end", _end_without_waiting):
        yield


@contextmanager
def _counted_twice() -> Iterator[None]:
    with patch.object(schedules_firings, "_end", _twice):
        yield


@contextmanager
def _never_worked_out() -> Iterator[None]:
    with patch.object(ScheduleRow, "ask_for_next", lambda _: None):
        yield


#: Faults of its code.
CODE = {
    "rev does not grow": _unguarded,
    "what waits is never due": _never_promoted,
    "end counted twice": _counted_twice,
    "changed rule keeps its times": _never_worked_out,
}

SQLITE = (*STATEMENTS, *CODE)

POSTGRES: Faults = {
    "rev is not looked at": [Edit("CONTINUE WHEN s.rev IS DISTINCT FROM d.rev;", "CONTINUE WHEN s.id IS NULL;")],
    "rev does not grow": [Edit("SELECT greatest(p_rev + 1, floor(p_now * 1000000)::bigint)", "SELECT p_rev")],
    "oldest version counts": [Edit("ORDER BY v.appeared DESC LIMIT 1", "ORDER BY v.appeared LIMIT 1")],
    "versions live for ever": [
        Edit("DELETE FROM goatherd.schedule_version v WHERE v.schedule = d.id AND v.until <= v_now;", ""),
        Edit("DELETE FROM goatherd.schedule_version v WHERE v.schedule = v_id AND v.until <= p_now;", ""),
        Edit("WHERE v.schedule = p_id AND v.until > p_now ORDER", "WHERE v.schedule = p_id ORDER"),
    ],
    "what waits is never due": [Edit("IF s.waiting > 0 AND (s.open = 1 OR s.beside) THEN", "IF false THEN")],
    "what waits begins beside others": [
        Edit("IF s.waiting > 0 AND (s.open = 1 OR s.beside) THEN", "IF s.waiting > 0 THEN")
    ],
    "newest that waits is due": [
        Edit("f.state = 'waiting' ORDER BY f.place LIMIT 1", "f.state = 'waiting' ORDER BY f.place DESC LIMIT 1")
    ],
    "end counted twice": [Edit("SET open = s.open - 1 +", "SET open = greatest(s.open - 2, 0) +")],
    "changed rule keeps its times": [
        Edit(
            "next_at = CASE WHEN v_rule = s.rule THEN s.next_at END,\n        awaits",
            "next_at = s.next_at,\n        awaits",
        )
    ],
    "newest is forgotten": [Edit("f.place IS DISTINCT FROM s.newest AND", "")],
    "waits for an end for ever": [Edit("v_asks := s.awaits OR s.after_end;", "v_asks := false;")],
}


def planted_in_sqlite(fault: str) -> AbstractContextManager[None]:
    """Files that are used meanwhile have the fault."""
    return CODE[fault]() if fault in CODE else in_sqlite(STATEMENTS[fault])


def planted_in_postgres(fault: str) -> AbstractContextManager[None]:
    """Databases that are migrated meanwhile have the fault."""
    return in_postgres(POSTGRES[fault])
