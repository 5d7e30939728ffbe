"""What operators see of lanes and do to them."""

from collections.abc import Sequence
from typing import Any

import apsw
import msgspec

from goatherd.adapters.sqlite.lanes_settling import bury_head
from goatherd.adapters.sqlite.lanes_step import LaneRow, Step
from goatherd.adapters.sqlite.queries import rows, run, value
from goatherd.model.dead_letter import Burial
from goatherd.model.lane import LaneCondition, LaneJob, LaneLetter, LaneState
from goatherd.model.lane_wait import MOST_OVERDUE, LaneWait, Overdue, ReadyLanes, lane_waits

decode_burial = msgspec.msgpack.Decoder(Burial).decode


def find_lanes(
    connection: apsw.Connection, condition: LaneCondition | None, containing: str, limit: int
) -> list[LaneState]:
    """Held lanes first, then those of the oldest condition."""
    wanted = {"condition": condition, "containing": containing, "limit": limit}
    if condition in ("running", "waiting"):
        return [_state(row) for row in rows(connection, "find_timed_lanes", wanted)]
    held = rows(connection, "find_held_lanes", wanted) if condition != "ready" else []
    if condition == "held" or len(held) == limit:
        return [_state(row) for row in held]
    others = rows(connection, "find_other_lanes", {**wanted, "limit": limit - len(held)})
    return [_state(row) for row in (*held, *others)]


def get_lane(connection: apsw.Connection, key: str) -> LaneState | None:
    """One lane."""
    found = rows(connection, "get_lane", (key,))
    return _state(found[0]) if found else None


def jobs_of(connection: apsw.Connection, key: str, limit: int) -> list[LaneJob]:
    """The jobs of a lane, its head first."""
    return [
        LaneJob(seq=seq, id=id, queue=queue, content=content, accepted=accepted)
        for seq, id, queue, content, accepted in rows(connection, "jobs_of_lane", (key, limit))
    ]


def waiting_lanes(connection: apsw.Connection, queues: Sequence[str], now: float, most: int) -> Sequence[LaneWait]:
    """What waits for workers."""
    ready = {
        queue: ReadyLanes(
            value(connection, "count_ready", (queue, most)), value(connection, "next_ready_since", (queue,))
        )
        for queue in queues
    }
    due = (now, MOST_OVERDUE)
    late = [*rows(connection, "overdue_lanes", due), *rows(connection, "overdue_later", due)]
    return lane_waits(ready, [Overdue(*row) for row in late], now, most)


def retry_head(step: Step, key: str, content: bytes | None, seq: int | None) -> bool:
    """Let a head that is held or waits be claimed."""
    lane = _found(step, "resting_lane", key)
    if lane is None or seq not in (None, lane.head):
        return False
    if content is not None:
        run(step.connection, "change_content", (content, lane.id, lane.head))
    step.make_ready(lane, deaths=0)
    return True


def skip_head(step: Step, key: str, burial: Burial, seq: int | None) -> bool:
    """Make a head that is held or waits a letter."""
    lane = _found(step, "resting_lane", key)
    if lane is None or seq not in (None, lane.head):
        return False
    bury_head(step, lane, burial)
    return True


def unblock_lane(step: Step, key: str) -> bool:
    """Take a lane from whoever has it."""
    lane = _found(step, "lane_of_any_worker", key)
    if lane is None:
        return False
    step.make_ready(lane, deaths=lane.deaths)
    return True


def oldest_letters(connection: apsw.Connection, limit: int) -> Sequence[LaneLetter]:
    """Jobs on their way to the dead letters."""
    return [
        LaneLetter(id=id, lane=key, content=content, accepted=accepted, burial=decode_burial(burial))
        for id, key, content, accepted, burial in rows(connection, "lane_letters", (limit,))
    ]


def _found(step: Step, statement: str, key: str) -> LaneRow | None:
    found = rows(step.connection, statement, (key,))
    return LaneRow(*found[0]) if found else None


def _state(row: tuple[Any, ...]) -> LaneState:
    key, condition, length, queue, head, since, due, worker, deaths, burial = row
    return LaneState(
        key=key, condition=condition, length=length, queue=queue, head=head, since=since, until=due, worker=worker,
        deaths=deaths, burial=None if burial is None else decode_burial(burial),
    )  # fmt: skip
