"""Faults that records of runs could have, each planted into the code of a store.

The package has no switch for this. That the machine finds them shows that it would find them if we had made them.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from unittest.mock import patch

from goatherd.adapters.sqlite import steps_claims, steps_settling
from goatherd.adapters.sqlite.steps_change import Change, RunRow, UnitRow
from goatherd.model.run_record import NoClaim
from tests.conformance.lane_faults import Edit, Faults, in_postgres, in_sqlite

_HELD = "INDEXED BY run_unit_held WHERE run = ?3 AND step = ?4 AND state = 'held'"
_HELD_OR_DONE = "WHERE run = ?3 AND step = ?4 AND (state = 'held' OR state = 'done' AND size = 1)"

#: Faults of SQLite's statements.
STATEMENTS: Faults = {
    "join counted twice": [Edit("missing = missing - 1", "missing = missing - 2", "step_before_is_done")],
    "item counted twice": [Edit("remaining - ?", "max(0, remaining - 2 * ?)", "count_at_head")],
    "held parcel never promoted": [Edit("LIMIT ?5", "LIMIT 0 * ?5", "promote_held")],
    "separated parcel sent again with items that are done": [Edit(_HELD, _HELD_OR_DONE, "promote_held")],
    "end of a run lost": [Edit("told = 0", "told = 1", "end_run")],
    "ended run goes on": [Edit("SET tell = NULL", "SET tellings = 0", "quiet_units")],
    "deaths not counted": [Edit("deaths = deaths + 1", "deaths = deaths", "reap_unit")],
    "told once and never again": [Edit("SET tell = ?,", "SET tell = ? + 1e9,", "note_telling")],
}


def _has_any(unit: UnitRow, _hold: object) -> bool:
    return unit.state == "running"


_refusal = steps_claims._refusal


def _refusal_without_leases(change: Change, of: RunRow, unit: UnitRow) -> NoClaim | None:
    return _refusal(change, of, unit._replace(lease=0.0))


@contextmanager
def _without_tokens() -> Iterator[None]:
    with patch.object(steps_settling, "_has", _has_any):
        yield


@contextmanager
def _without_leases() -> Iterator[None]:
    with patch.object(steps_claims, "_refusal", _refusal_without_leases):
        yield


#: Faults of its code: whoever says that he has a unit is believed, and whoever wants one gets it.
CODE = {"token not checked": _without_tokens, "lease ignored at a claim": _without_leases}

SQLITE = (*STATEMENTS, *CODE)

_LEASE = "u.state = 'running' AND u.lease <= p_now"
POSTGRES: Faults = {
    "token not checked": [Edit("ELSE o.state = 'running' AND o.token = o.shown", "ELSE o.state = 'running'")],
    "lease ignored at a claim": [Edit(_LEASE, "u.state = 'running'")],
    "join counted twice": [Edit("SELECT o.run, o.step, count(*) AS done", "SELECT o.run, o.step, 2 AS done")],
    "item counted twice": [
        Edit("SET remaining = u.remaining - h.done", "SET remaining = greatest(0, u.remaining - 2 * h.done)")
    ],
    "held parcel never promoted": [Edit("LIMIT greatest(h.free + h.freed, 0)", "LIMIT 0")],
    "separated parcel sent again with items that are done": [
        Edit("AND u.step = h.step AND u.state = 'held'",
             "AND u.step = h.step AND (u.state = 'held' OR u.state = 'done' AND u.size = 1)")
    ],
    "end of a run lost": [Edit("r.ended + 1), told = false", "r.ended + 1), told = true")],
    "ended run goes on": [Edit("u SET tell = NULL\n", "u SET tellings = 0\n")],
    "deaths not counted": [Edit("deaths = u.deaths + CASE u.state WHEN 'running' THEN 1 ELSE 0 END,", "")],
}  # fmt: skip


def planted_in_sqlite(fault: str) -> AbstractContextManager[None]:
    """Files that are used meanwhile have the fault."""
    return CODE[fault]() if fault in CODE else in_sqlite(STATEMENTS[fault])


def planted_in_postgres(fault: str) -> AbstractContextManager[None]:
    """Databases that are migrated meanwhile have the fault."""
    return in_postgres(POSTGRES[fault])
