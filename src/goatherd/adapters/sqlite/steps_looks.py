"""What operators see of runs."""

from collections.abc import Sequence
from typing import Any

import apsw

from goatherd.adapters.sqlite.queries import rows
from goatherd.adapters.sqlite.steps_change import read_trouble
from goatherd.model.run_record import RunFilter, RunLook, RunSummary, StepLook


def find_runs(connection: apsw.Connection, wanted: RunFilter, limit: int) -> list[RunSummary]:
    """Newest first."""
    values: dict[str, Any] = {"pipeline": wanted.pipeline, "limit": limit}
    if wanted.troubled_step is not None:
        found = rows(connection, "find_troubled_runs", {**values, "state": wanted.state, "step": wanted.troubled_step})
    elif wanted.state is not None:
        found = rows(connection, "find_runs_in_state", {**values, "state": wanted.state})
    else:
        found = rows(connection, "find_runs", values)
    return [_summary(connection, row) for row in found]


def look_at(connection: apsw.Connection, name: str) -> RunLook | None:
    """A run with its steps."""
    for *row, input in rows(connection, "look_at_run", (name,)):
        return RunLook(summary=_summary(connection, row), input=input, steps=_steps(connection, row[0]))
    return None


def _summary(connection: apsw.Connection, row: Sequence[Any]) -> RunSummary:
    id, name, pipeline, state, created, ended, trouble = row
    steps = rows(connection, "steps_at_a_glance", (id,))
    if state == "failed":
        now_at = tuple(step for (step,) in rows(connection, "failed_steps", (id,)))
    else:
        now_at = tuple(step for step, state in steps if state in ("ready", "running", "spread"))
    return RunSummary(
        id=name, pipeline=pipeline, state=state, created=created, ended_at=None if state == "running" else ended,
        steps_done=sum(state in ("done", "skipped") for _, state in steps), steps=len(steps), now_at=now_at,
        trouble=read_trouble(trouble),
    )  # fmt: skip


def _steps(connection: apsw.Connection, id: int) -> list[StepLook]:
    sums = {step: row for step, *row in rows(connection, "sums_of_steps", (id,))}
    troubles = {step: read_trouble(trouble) for step, trouble, _ in rows(connection, "troubles_of_steps", (id,))}
    looks = []
    for step, state, phase, items, remaining, ended in rows(connection, "heads_of_run", (id,)):
        skipped, failed, compensating, running, failures, deaths, started, worker = sums[step]
        whole = items is None
        done, total = (int(state in ("done", "skipped")), 1) if whole else (items - remaining, items)
        looks.append(
            StepLook(
                name=step, state=state, phase=phase, done=done, total=total, skipped=skipped, failed=failed,
                compensating=compensating, running=running, failures=failures, deaths=deaths, started_at=started,
                ended_at=ended, worker=worker, trouble=troubles.get(step),
            )
        )  # fmt: skip
    return looks
