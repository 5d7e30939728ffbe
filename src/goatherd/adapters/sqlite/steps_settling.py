"""What workers say of the units that they have."""

from goatherd.adapters.sqlite.queries import run, run_many
from goatherd.adapters.sqlite.steps_change import Change, RunRow, UnitRow, encode_trouble
from goatherd.adapters.sqlite.steps_joins import go_on, leave_slot
from goatherd.model.run_record import (
    AgainLater,
    FailRun,
    Foresee,
    LeaveOut,
    LetGo,
    Separate,
    StandIn,
    Succeed,
    Trouble,
    UnitHold,
    UnitSettlement,
)


def settle(change: Change, settlement: UnitSettlement) -> bool:
    """Do to a unit what its worker says; false if it has the unit no longer."""
    hold = settlement.hold
    of = change.run(hold.key.run)
    unit = None if of is None else change.unit(of, hold.key)
    if of is None or unit is None:
        return False
    if not _has(unit, hold):
        # What was settled under this very token is settled, whoever asks again because no answer came.
        return unit.settled == hold.token and not _in_vain(of, settlement)
    _carry_out(change, of, unit, settlement)
    return not _in_vain(of, settlement)


def end_unit(change: Change, unit: UnitRow, result: bytes | None, *, by: int, trouble: Trouble | None = None) -> None:
    """It has a result, or was left out without one; settled under this token, which is 0 if not by who has it."""
    state = "skipped" if result is None else "done"
    why = None if trouble is None else encode_trouble(trouble)
    run(change.connection, "end_unit", (state, result, by, change.now, why, unit.id))


def fail_unit(change: Change, of: RunRow, unit: UnitRow, failure: FailRun | Foresee) -> None:
    """It failed for good, and its run with it."""
    key, by = (failure.hold.key, unit.token) if isinstance(failure, FailRun) else (failure.key, 0)
    trouble = failure.trouble
    run(change.connection, "fail_unit", (by, change.now, encode_trouble(trouble), trouble.attempts, unit.id))
    change.moved(of, key.step)
    change.end(of, "failed", key.step, trouble)
    change.leave_letter(failure.letter)
    leave_slot(change, of, key, unit)


def _has(unit: UnitRow, hold: UnitHold) -> bool:
    return unit.state == "running" and unit.token == hold.token


def _in_vain(of: RunRow, settlement: UnitSettlement) -> bool:
    return isinstance(settlement, Succeed) and of.state == "cancelled"


def _carry_out(change: Change, of: RunRow, unit: UnitRow, settlement: UnitSettlement) -> None:
    key = settlement.hold.key
    match settlement:
        case Succeed():
            end_unit(change, unit, settlement.result, by=unit.token)
            go_on(change, of, key, unit, settlement.onward)
        case LeaveOut():
            end_unit(change, unit, None, by=unit.token, trouble=settlement.trouble)
            go_on(change, of, key, unit, settlement.onward)
        case AgainLater():
            due = change.now + max(0.0, settlement.delay)
            why = None if settlement.trouble is None else encode_trouble(settlement.trouble)
            values = (unit.token, settlement.failures, why, due, change.tell_of(of, due), unit.id)
            run(change.connection, "unit_again", values)
        case Separate():
            _separate(change, of, unit, settlement)
        case StandIn():
            why, attempts = encode_trouble(settlement.trouble), settlement.trouble.attempts
            values = (unit.token, attempts, why, change.now, change.tell_of(of), unit.id)
            run(change.connection, "let_stand_in", values)
            leave_slot(change, of, key, unit)
        case FailRun():
            fail_unit(change, of, unit, settlement)
        case LetGo():
            run(change.connection, "let_go_of_unit", (unit.token, change.tell_of(of), unit.id))


def _separate(change: Change, of: RunRow, unit: UnitRow, settlement: Separate) -> None:
    """In the place of the parcel come its items, which share its place among those that are worked on."""
    step, why = settlement.hold.key.step, encode_trouble(settlement.trouble)
    run(change.connection, "drop_unit", (unit.id,))
    singles = [
        (of.id, step, unit.item + number, of.pipeline, unit.place, "held", 1, content, unit.round, unit.token,
         unit.token, why, 0.0, None)
        for number, content in enumerate(settlement.contents)
    ]  # fmt: skip
    run_many(change.connection, "add_parcel", singles)
    leave_slot(change, of, settlement.hold.key, unit)
