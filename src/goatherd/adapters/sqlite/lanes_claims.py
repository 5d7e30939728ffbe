"""Ready lanes, and how workers get them in turns."""

from collections.abc import Sequence
from typing import NamedTuple

from goatherd.adapters.sqlite.lanes_entry import join
from goatherd.adapters.sqlite.lanes_step import LaneRow, Step
from goatherd.adapters.sqlite.queries import rows, run_many, value
from goatherd.model.lane import Claim, Exchange, Hold

#: Lanes whose time is over that are seen to in one step, and delayed jobs that join theirs.
DUE_AT_ONCE = 100


class Outlook(NamedTuple):
    """What a worker is told of the time to come."""

    next_due: float | None
    letters: bool


class QueueTurns:
    """Which of its queues a process has served last, so that all get their turn."""

    def __init__(self) -> None:
        self._served: dict[str, int] = {}
        self._count = 0

    def in_turn(self, queues: Sequence[str]) -> list[str]:
        """The one that was served least recently first."""
        return sorted(dict.fromkeys(queues), key=lambda queue: self._served.get(queue, 0))

    def served(self, queue: str) -> None:
        """Others come first now."""
        self._count += 1
        self._served[queue] = self._count


def end_what_is_due(step: Step) -> None:
    """Take lanes from workers that were silent for too long, end waits, and let delayed jobs join."""
    for condition, *columns in rows(step.connection, "due_lanes", (step.now, DUE_AT_ONCE)):
        lane = LaneRow(*columns)
        step.make_ready(lane, deaths=lane.deaths + (condition == "running"))
    join(step, DUE_AT_ONCE)


def claim(step: Step, exchange: Exchange, turns: QueueTurns) -> list[Claim]:
    """Heads of ready lanes for a worker, as evenly from its queues as there are."""
    claims: list[Claim] = []
    queues = turns.in_turn(exchange.queues)
    while queues and len(claims) < exchange.wanted:
        share = max(1, (exchange.wanted - len(claims)) // len(queues))
        for queue in tuple(queues):
            limit = min(share, exchange.wanted - len(claims))
            taken = _take(step, queue, limit, exchange)
            if taken:
                turns.served(queue)
            if len(taken) < limit:
                queues.remove(queue)
            claims += taken
            if len(claims) == exchange.wanted:
                break
    return claims


def still_taken(step: Step, holds: Sequence[Hold]) -> list[Claim]:
    """Those of its claims that a worker still has."""
    return [
        Claim(
            lane=hold.lane, token=hold.token, seq=hold.seq, id=id, queue=queue, content=content,
            on_exhausted=on_exhausted, accepted=accepted, deaths=deaths,
        )
        for hold in holds
        for id, queue, content, on_exhausted, accepted, deaths in rows(
            step.connection, "taken_head", (hold.lane, hold.token, hold.seq)
        )
    ]  # fmt: skip


def outlook(step: Step) -> Outlook:
    """When to come again, and whether letters wait."""
    [(lane, later, letters)] = rows(step.connection, "next_due")
    times = [due for due in (lane, later) if due is not None]
    return Outlook(max(0.0, min(times) - step.now) if times else None, bool(letters))


def left_ready(step: Step) -> list[str]:
    """Queues of which a lane became ready that nobody has taken yet."""
    return [queue for queue in step.ready if value(step.connection, "any_ready", (queue,)) is not None]


def _take(step: Step, queue: str, limit: int, exchange: Exchange) -> list[Claim]:
    claims, updates = [], []
    until = step.now + exchange.lease
    found = rows(step.connection, "ready_heads", (queue, limit))
    for lane, key, last, seq, id, owner, content, on_exhausted, accepted, deaths in found:
        token = step.next_token(last)
        updates.append((token, exchange.worker, step.now, until, lane))
        claims.append(
            Claim(
                lane=key, token=token, seq=seq, id=id, queue=owner, content=content, on_exhausted=on_exhausted,
                accepted=accepted, deaths=deaths,
            )
        )  # fmt: skip
    run_many(step.connection, "take_lane", updates)
    return claims
