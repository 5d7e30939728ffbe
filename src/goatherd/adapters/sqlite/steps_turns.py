"""Runs that begin, and of which of their units workers are told when."""

from collections.abc import Sequence
from operator import itemgetter

import apsw

from goatherd.adapters.sqlite.queries import rows, run_many, value
from goatherd.adapters.sqlite.steps_change import read_trouble
from goatherd.model.run_record import NewRun, Turn, UnitKey

#: Seconds after which at the latest workers are told again.
LONGEST_SILENCE = 3600.0


def begin(connection: apsw.Connection, now: float, new: NewRun) -> bool:
    """Put the run and its steps on record; false if it is there already."""
    values = (new.id, new.pipeline, new.input, new.trace_id, new.priority, now)
    of = value(connection, "add_run", values)
    if of is None:
        return False
    due, token = now + max(0.0, new.delay), int(now * 1_000_000)
    steps = []
    for place, step in enumerate(new.steps):
        missing = len(set(step.after))
        state, tell = ("waiting", None) if missing else ("ready", due)
        steps.append((of, step.name, new.pipeline, place, state, token, due, tell, missing))
    run_many(connection, "add_step", steps)
    return True


def any_due(connection: apsw.Connection, now: float, pipelines: Sequence[str]) -> bool:
    """Whether there is something to take."""
    return any(value(connection, "any_due_turn", (pipeline, now)) for pipeline in pipelines)


def any_lost(connection: apsw.Connection, now: float) -> bool:
    """Whether there is something to reap."""
    return value(connection, "any_lost_unit", (now,)) is not None


def take(
    connection: apsw.Connection, now: float, pipelines: Sequence[str], limit: int, again_after: float
) -> list[Turn]:
    """Units that are due to be told of, longest overdue first; each is due again later."""
    found = [
        row for pipeline in dict.fromkeys(pipelines) for row in rows(connection, "due_turns", (pipeline, now, limit))
    ]
    found = sorted(found, key=itemgetter(-1))[:limit]
    turns, next_times = [], []
    for (
        id,
        of,
        step,
        item,
        pipeline,
        size,
        content,
        phase,
        failures,
        tellings,
        trouble,
        trace,
        priority,
        created,
        round,
        _,
    ) in found:
        next_times.append((now + _silence(again_after, tellings), id))
        turns.append(
            Turn(
                key=UnitKey(run=of, step=step, item=item), pipeline=pipeline, size=size, content=content, phase=phase,
                failures=failures, tellings=tellings, trouble=read_trouble(trouble), trace_id=trace, priority=priority,
                created=created, round=round,
            )
        )  # fmt: skip
    run_many(connection, "note_telling", next_times)
    return turns


def reap(connection: apsw.Connection, now: float, limit: int) -> int:
    """Take units from workers that were silent for too long."""
    lost = rows(connection, "lost_units", (now, limit))
    run_many(connection, "reap_unit", [(now, now if state == "running" else None, id) for id, state in lost])
    return len(lost)


def next_due(connection: apsw.Connection, now: float) -> float | None:
    """Seconds until a unit is due to be told of, or until a worker has been silent for too long."""
    [moments] = rows(connection, "next_moment", ())
    return max(0.0, min(known) - now) if (known := [each for each in moments if each is not None]) else None


def postpone(connection: apsw.Connection, now: float, keys: Sequence[UnitKey], seconds: float) -> None:
    """Let them be due later."""
    run_many(connection, "postpone_unit", [(now + seconds, key.run, key.step, key.item) for key in keys])


def _silence(again_after: float, tellings: int) -> float:
    """Twice as long each time; nobody doubles so often that it would matter how."""
    return max(again_after, min(again_after * 2.0 ** min(tellings, 40), LONGEST_SILENCE))
