"""Jobs on their way into lanes."""

from collections.abc import Sequence
from typing import NamedTuple

from goatherd.adapters.sqlite.lanes_step import Step
from goatherd.adapters.sqlite.queries import rows, run, value
from goatherd.model.lane import REMEMBERED_FOR, LaneItem, Placement

#: Ids that are forgotten in one step beyond the number of those that it may remember.
FORGOTTEN_AT_ONCE = 100


class Entrant(NamedTuple):
    """A job that takes its place in a lane now."""

    lane: str
    id: str
    queue: str
    content: bytes
    on_exhausted: str
    accepted: float
    #: Until when the lane waits for it.
    due: float | None = None
    limit: int | None = None


def enter(step: Step, items: Sequence[LaneItem]) -> list[Placement]:
    """Put them at the ends of their lanes, in order."""
    full: set[str] = set()
    placements = []
    for item in items:
        placement = _placed(step, item, full)
        if placement.answer == "full":
            full.add(item.lane)
        elif item.named and placement.answer != "known":
            run(step.connection, "name_lane_job", (item.id, step.now + REMEMBERED_FOR))
        placements.append(placement)
    run(step.connection, "forget_names", (step.now, len(items) + FORGOTTEN_AT_ONCE))
    return placements


def join(step: Step, limit: int) -> int:
    """Let jobs whose delay is over join their lanes, so many at a time; tells how many did."""
    due_now = rows(step.connection, "due_later", (step.now, limit))
    for id, due, key, job, queue, content, on_exhausted in due_now:
        run(step.connection, "drop_later", (id,))
        place(step, Entrant(key, job, queue, content, on_exhausted, accepted=due))
    return len(due_now)


def place(step: Step, job: Entrant) -> int | None:
    """Put it at the end of its lane; tells how many are ahead of it, None if the lane is full."""
    waits = job.due is not None
    entered = rows(
        step.connection, "enter_lane",
        (
            job.lane, job.queue, "waiting" if waits else "ready", step.first_seq, step.mark, step.next_turn(),
            step.now, job.due, step.microseconds, job.limit,
        ),
    )  # fmt: skip
    if not entered:
        return None
    lane, seq, length = entered[0]
    row = (lane, seq, job.id, job.queue, job.content, job.on_exhausted, job.accepted, job.due)
    run(step.connection, "add_lane_job", row)
    if length == 1 and not waits:
        step.ready.add(job.queue)
    return int(length) - 1


def _placed(step: Step, item: LaneItem, full: set[str]) -> Placement:
    if item.named and value(step.connection, "is_named", (item.id, step.now)) is not None:
        return Placement(answer="known")
    if item.lane in full:
        return Placement(answer="full")
    due = step.now + item.delay if item.delay > 0 else None
    if due is not None and not item.keep_place:
        row = (due, item.lane, item.id, item.queue, item.content, item.on_exhausted)
        run(step.connection, "add_later", row)
        return Placement(answer="later")
    entrant = Entrant(
        item.lane, item.id, item.queue, item.content, item.on_exhausted, due or step.now, due, item.limit
    )  # fmt: skip
    ahead = place(step, entrant)
    return Placement(answer="full") if ahead is None else Placement(answer="placed", ahead=ahead)
