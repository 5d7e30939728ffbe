"""One atomic step on lanes: its time, the numbers that it gives out, and whose lanes it made ready."""

from typing import NamedTuple

import apsw

from goatherd.adapters.sqlite.queries import rows, run


class LaneRow(NamedTuple):
    """A lane as the file has it."""

    id: int
    key: str
    queue: str
    head: int
    tail: int
    length: int
    token: int
    turn: int
    deaths: int


class Step:
    """Used within one transaction."""

    def __init__(self, connection: apsw.Connection, now: float) -> None:
        self.connection = connection
        self.now = now
        self.microseconds = int(now * 1_000_000)
        #: Queues of which a lane became ready.
        self.ready: set[str] = set()
        found = rows(connection, "lane_mark")
        self.mark: int
        self._turn: int
        self.mark, self._turn = self._found = found[0] if found else (0, 0)

    @property
    def first_seq(self) -> int:
        """Of a lane that begins, perhaps again."""
        return max(self.mark + 1, self.microseconds)

    def next_turn(self) -> int:
        """The place behind all ready lanes."""
        self._turn += 1
        return self._turn

    def next_token(self, last: int) -> int:
        """For the next one who has a lane."""
        return max(last + 1, self.microseconds)

    def make_ready(self, lane: LaneRow, *, turn: int | None = None, deaths: int) -> None:
        """Let the lane's head be claimed, after all others unless its turn is told."""
        run(self.connection, "make_lane_ready", (turn or self.next_turn(), self.now, deaths, lane.id))
        self.ready.add(lane.queue)

    def go_on(self, lane: LaneRow) -> None:
        """The head has left: the next job is the head now; a lane without jobs is forgotten."""
        if lane.length == 1:
            self.forget(lane)
            return
        [(seq, queue, due)] = rows(self.connection, "first_lane_job", (lane.id,))
        waits = due is not None and due > self.now
        condition, due = ("waiting", due) if waits else ("ready", None)
        run(self.connection, "next_head", (seq, queue, condition, self.next_turn(), due, self.now, lane.id))
        if not waits:
            self.ready.add(queue)

    def forget(self, lane: LaneRow) -> None:
        """Keep nothing of it; whoever comes with its key gets greater numbers than it ever had."""
        run(self.connection, "drop_lane", (lane.id,))
        self.mark = max(self.mark, lane.tail, lane.token)

    def finish(self) -> None:
        """Write down what numbers were given out."""
        if self._found != (self.mark, self._turn):
            run(self.connection, "set_lane_mark", (self.mark, self._turn))
