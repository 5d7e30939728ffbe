"""What is decided about units that nobody has."""

from goatherd.adapters.sqlite.queries import run, run_many
from goatherd.adapters.sqlite.steps_change import Change, RunRow, UnitRow
from goatherd.adapters.sqlite.steps_joins import go_on, step_is_done
from goatherd.adapters.sqlite.steps_settling import end_unit, fail_unit
from goatherd.model.run_record import Arrived, Decision, Foresee, PassOver, Spread


def decide(change: Change, decision: Decision) -> bool:
    """Carry it out; false where the unit is not as it should be for it."""
    key = decision.key
    of = change.run(key.run)
    unit = None if of is None else change.unit(of, key)
    if of is None or unit is None:
        return False
    if isinstance(decision, Arrived):
        # Of a run that has ended, too: what is done is done.
        if unit.state not in ("ready", "running"):
            return False
        end_unit(change, unit, decision.result, by=0)
        go_on(change, of, key, unit, decision.onward)
        return True
    if unit.state != "ready" or of.state != "running" or decision.round not in (None, unit.round):
        return False
    match decision:
        case Spread():
            return _spread(change, of, unit, decision)
        case PassOver():
            end_unit(change, unit, None, by=0)
            go_on(change, of, key, unit, decision.onward)
        case Foresee():
            fail_unit(change, of, unit, decision)
    return True


def _spread(change: Change, of: RunRow, head: UnitRow, decision: Spread) -> bool:
    if head.size or head.phase != "do":
        return False
    parcels, step = decision.parcels, decision.key.step
    change.moved(of, step)
    total = sum(parcel.size for parcel in parcels)
    active = len(parcels) if decision.at_once is None else min(decision.at_once, len(parcels))
    run(change.connection, "spread_head", (total, total, decision.at_once, active, change.now, head.id))
    if not parcels:
        run(change.connection, "end_head", (change.now, head.id))
        step_is_done(change, of, step, decision.onward)
        return True
    tell = change.tell_of(of)
    rows = [
        (of.id, step, parcel.item, of.pipeline, head.place, "ready" if place < active else "held",
         parcel.size, parcel.content, head.round, head.token, 0, None, change.now, tell if place < active else None)
        for place, parcel in enumerate(sorted(parcels, key=lambda parcel: parcel.item))
    ]  # fmt: skip
    run_many(change.connection, "add_parcel", rows)
    return True
