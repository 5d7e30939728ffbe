"""What the end of a unit brings about: the next of its parcels, the end of its head, the next steps, the run's end."""

from goatherd.adapters.sqlite.queries import rows, run
from goatherd.adapters.sqlite.steps_change import Change, RunRow, UnitRow
from goatherd.model.run_record import Onward, UnitKey


def go_on(change: Change, of: RunRow, key: UnitKey, unit: UnitRow, onward: Onward) -> None:
    """The unit is done or left out."""
    change.moved(of, key.step)
    if unit.size == 0:
        step_is_done(change, of, key.step, onward)
        return
    head = _count(change, of, key.step, done=unit.size, freed=unit.phase == "do")
    if head is not None:
        run(change.connection, "end_head", (change.now, head))
        step_is_done(change, of, key.step, onward)


def leave_slot(change: Change, of: RunRow, key: UnitKey, unit: UnitRow) -> None:
    """The unit is not done, but another parcel of its head may be worked on meanwhile."""
    if unit.size:
        _count(change, of, key.step, done=0, freed=unit.phase == "do")


def fill(change: Change, of: RunRow, step: str) -> None:
    """Let as many parcels that are held back be worked on as may be."""
    _count(change, of, step, done=0, freed=False)


def step_is_done(change: Change, of: RunRow, step: str, onward: Onward) -> None:
    """All of it: steps that waited for nothing else are ready, or the run is done."""
    for next_step in onward.then:
        for unit, missing, state in rows(change.connection, "step_before_is_done", (of.id, next_step)):
            if missing == 0 and state == "waiting":
                run(change.connection, "make_step_ready", (change.now, change.tell_of(of), unit))
    if onward.last:
        change.end(of, "done", step)


def _count(change: Change, of: RunRow, step: str, *, done: int, freed: bool) -> int | None:
    """Count at the head what is done and whose place is free, and fill that; the head, if nothing remains."""
    [(head, total, remaining, active, at_once)] = rows(
        change.connection, "count_at_head", (done, int(freed), of.id, step)
    )
    free = total if at_once is None else at_once - active
    if remaining and free > 0:
        # Only of those that are held back: where all may be worked on at once, there are few of them or none.
        values = (change.now, None if of.state != "running" else change.now, of.id, step, free)
        promoted = run(change.connection, "promote_held", values)
        if promoted:
            change.ready = change.ready or of.state == "running"
            rows(change.connection, "count_at_head", (0, -promoted, of.id, step))
    return head if remaining == 0 and done else None
