"""What is on record of runs: their results, their ends, and letters."""

from collections.abc import Sequence

import apsw

from goatherd.adapters.sqlite.queries import rows, run_many, value
from goatherd.adapters.sqlite.steps_change import read_trouble
from goatherd.model.run_record import EndedRun, RunLetter
from goatherd.ports.steps import INPUT


def results(connection: apsw.Connection, wanted: Sequence[tuple[str, str]]) -> list[bytes | None]:
    """By run and step."""
    return [_input(connection, of) if step == INPUT else _result(connection, of, step) for of, step in wanted]


def untold(connection: apsw.Connection, limit: int) -> list[EndedRun]:
    """Runs whose end was not told, the first one first."""
    return [
        EndedRun(
            id=name, pipeline=pipeline, state=state, ended_at=ended, step=step, trouble=read_trouble(trouble)
        )
        for name, pipeline, state, ended, step, trouble in rows(connection, "untold_runs", (limit,))
    ]  # fmt: skip


def note_told(connection: apsw.Connection, ended: Sequence[EndedRun]) -> None:
    """This end of theirs, not one that came later."""
    run_many(connection, "note_told", [(each.id, each.state, each.ended_at) for each in ended])


def letters(connection: apsw.Connection, limit: int) -> list[RunLetter]:
    """The oldest first."""
    return [RunLetter(id=id, content=content) for id, content in rows(connection, "run_letters", (limit,))]


def forget(connection: apsw.Connection, before: float, limit: int) -> int:
    """Keep nothing of runs that ended before."""
    found = rows(connection, "old_runs", (before, limit))
    run_many(connection, "drop_units_of_run", found)
    run_many(connection, "drop_run", found)
    return len(found)


def _input(connection: apsw.Connection, of: str) -> bytes | None:
    found: bytes | None = value(connection, "get_input", (of,))
    return found


def _result(connection: apsw.Connection, of: str, step: str) -> bytes | None:
    for id, state, result, total in rows(connection, "whole_result", (of, step)):
        if state == "skipped":
            return b"null"
        if state != "done":
            return None
        if total is None:
            return bytes(result)
        return b"[" + b",".join(part for (part,) in rows(connection, "parcel_results", (id, step))) + b"]"
    return None
