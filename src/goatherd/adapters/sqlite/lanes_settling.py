"""What workers and operators do to the head of a lane."""

import msgspec

from goatherd.adapters.sqlite.lanes_step import LaneRow, Step
from goatherd.adapters.sqlite.queries import rows, run, run_many
from goatherd.model.dead_letter import Burial
from goatherd.model.ids import new_id
from goatherd.model.lane import Commit, GiveUpHead, Hold, Release, Settlement, TryAgain, behind

encode_burial = msgspec.msgpack.Encoder().encode


def settle(step: Step, settlement: Settlement) -> bool:
    """Do to a lane's head what its worker says; false if it has the lane no longer."""
    lane = held_by(step, settlement.hold)
    if lane is None:
        return False
    match settlement:
        case Commit():
            run(step.connection, "drop_lane_job", (lane.id, lane.head))
            step.go_on(lane)
        case Release():
            step.make_ready(lane, turn=lane.turn, deaths=lane.deaths)
        case TryAgain():
            run(step.connection, "change_content", (settlement.content, lane.id, lane.head))
            _wait(step, lane, settlement.delay)
        case GiveUpHead():
            _give_up(step, lane, settlement)
    return True


def held_by(step: Step, hold: Hold) -> LaneRow | None:
    """The lane, if what is shown is the newest token of it and its head."""
    found = rows(step.connection, "running_lane", (hold.lane, hold.token, hold.seq))
    return LaneRow(*found[0]) if found else None


def bury_head(step: Step, lane: LaneRow, burial: Burial) -> None:
    """Make the head a letter, and let the lane go on."""
    _write_letters(step, lane, [lane.head], burial)
    run(step.connection, "drop_lane_job", (lane.id, lane.head))
    step.go_on(lane)


def _wait(step: Step, lane: LaneRow, delay: float) -> None:
    if delay > 0:
        run(step.connection, "let_lane_wait", (step.now, step.now + delay, lane.id))
    else:
        step.make_ready(lane, deaths=0)


def _give_up(step: Step, lane: LaneRow, settlement: GiveUpHead) -> None:
    [(job, policy)] = rows(step.connection, "head_of_lane", (lane.id, lane.head))
    match settlement.policy or policy:
        case "skip":
            bury_head(step, lane, settlement.burial)
        case "cancel_rest":
            _bury_all(step, lane, job, settlement.burial)
        case _:
            run(step.connection, "hold_lane", (step.now, encode_burial(settlement.burial), lane.id))


def _bury_all(step: Step, lane: LaneRow, job: str, burial: Burial) -> None:
    seqs = [seq for (seq,) in rows(step.connection, "seqs_of_lane", (lane.id,))]
    _write_letters(step, lane, seqs[:1], burial)
    _write_letters(step, lane, seqs[1:], behind(job, burial))
    run(step.connection, "drop_lane_jobs", (lane.id,))
    step.forget(lane)


def _write_letters(step: Step, lane: LaneRow, seqs: list[int], burial: Burial) -> None:
    why = encode_burial(burial)
    run_many(step.connection, "add_lane_letter", [(new_id(), lane.key, why, lane.id, seq) for seq in seqs])
