"""What operators do to runs."""

import json
from collections.abc import Collection, Sequence

from goatherd.adapters.sqlite.queries import rows, run, value
from goatherd.adapters.sqlite.steps_change import Change, RunRow
from goatherd.adapters.sqlite.steps_joins import fill
from goatherd.model.run_record import WHOLE, PlannedStep, UnitKey


def cancel(change: Change, name: str) -> bool:
    """End it, if it has not ended."""
    of = change.run(name)
    if of is None or of.state != "running":
        return False
    change.end(of, "cancelled")
    return True


def retry(change: Change, name: str, steps: Sequence[str] | None) -> int:
    """Try again what failed or waits for a stand-in, in these steps; how many units."""
    of = change.run(name)
    if of is None or (of.state == "cancelled" and steps is not None):
        return 0
    stuck = rows(change.connection, "stuck_units", (of.id,))
    wanted = {(step, item) for _, step, item, _ in stuck if steps is None or step in steps}
    if wanted or of.state == "cancelled":
        _go_on_with(change, of, wanted)
    return len(wanted)


def resume_from(change: Change, name: str, steps: Sequence[PlannedStep]) -> bool:
    """Do these steps again, as if they had never been done."""
    of = change.run(name)
    states = {} if of is None else dict(rows(change.connection, "states_of_steps", (of.id,)))
    again = {step.name for step in steps}
    if of is None or not again or not again <= states.keys():
        return False
    # What failed elsewhere is tried again, too: else the run could not end.
    _take_up(change, of)
    done = {step for step, state in states.items() if state in ("done", "skipped")} - again
    for planned in steps:
        _reset(change, of, planned, len(set(planned.after) - done))
    _begin_failed(change, of)
    return True


def requeue(change: Change, pipelines: Sequence[str], step: str | None, limit: int) -> list[UnitKey]:
    """Try again what failed or waits for a stand-in, in any run that was not cancelled."""
    wanted = {"pipelines": json.dumps(list(pipelines)), "step": step, "limit": limit}
    keys = [UnitKey(*row) for row in rows(change.connection, "all_stuck_units", wanted)]
    for name in dict.fromkeys(key.run for key in keys):
        of = change.run(name)
        if of is not None:
            _go_on_with(change, of, {(key.step, key.item) for key in keys if key.run == name})
    return keys


def _go_on_with(change: Change, of: RunRow, wanted: Collection[tuple[str, int]]) -> None:
    """These units begin again; a run that had ended goes on, and with it all else that failed in it."""
    _take_up(change, of)
    for id, step, item, state in rows(change.connection, "stuck_units", (of.id,)):
        if (step, item) in wanted or state == "failed":
            _begin_again(change, of, id, step, item)
    if not value(change.connection, "steps_left", (of.id,)):
        # It was cancelled while its last step was done.
        change.end(of, "done", value(change.connection, "last_step", (of.id,)))


def _begin_failed(change: Change, of: RunRow) -> None:
    for id, step, item, state in rows(change.connection, "stuck_units", (of.id,)):
        if state == "failed":
            _begin_again(change, of, id, step, item)


def _take_up(change: Change, of: RunRow) -> None:
    """A run that had ended goes on with all that was left in it."""
    if of.state == "running":
        return
    run(change.connection, "take_up_run", (of.id,))
    run(change.connection, "revive_units", (change.now, of.id))
    of.state = "running"


def _begin_again(change: Change, of: RunRow, id: int, step: str, item: int) -> None:
    run(change.connection, "begin_again", (change.now, change.tell_of(of), id))
    if item != WHOLE:
        fill(change, of, step)


def _reset(change: Change, of: RunRow, planned: PlannedStep, missing: int) -> None:
    # Whoever had something of it shows an older token than the next one will have; and what was decided is void.
    token = value(change.connection, "newest_token_of_step", (of.id, planned.name)) + 1
    run(change.connection, "drop_parcels", (of.id, planned.name))
    state, tell = ("waiting", None) if missing else ("ready", change.tell_of(of))
    run(change.connection, "reset_step", (state, token, change.now, tell, missing, of.id, planned.name))
