"""What the book of lanes has in it."""

import math
from dataclasses import dataclass, field

from goatherd.model.dead_letter import Burial
from goatherd.model.lane import LaneCondition, LaneItem

#: Seconds by which two clocks that count in different ways may differ.
BLUR = 0.0001


@dataclass
class BookedJob:
    """A job in a lane, or on its way into one."""

    item: LaneItem
    content: bytes
    #: When it was taken or, if that is later, when it is due.
    accepted: float
    #: When it was put off, or tried because an operator said so: then it may count as due since then.
    hurried: float = math.inf
    #: Before when it holds its lane; 0 if it does not.
    due: float = 0.0
    deaths: int = 0
    #: Where it stands, once the store has told it, and where at least.
    seq: int | None = None
    seq_floor: int = 0

    def was_accepted(self, moment: float) -> bool:
        """Whether a store may say so."""
        return min(self.accepted, self.hurried) - BLUR < moment < self.accepted + BLUR


@dataclass
class BookedLane:
    """A lane with jobs in it."""

    key: str
    jobs: list[BookedJob] = field(default_factory=list)
    condition: LaneCondition = "ready"
    #: Since when, at the earliest and at the latest.
    since: tuple[float, float] = (0.0, 0.0)
    until: float | None = None
    worker: str | None = None
    token: int = 0
    burial: Burial | None = None
    #: Its turn, at the earliest and at the latest: lanes of a queue that became ready earlier come first.
    turn: tuple[int, int] = (0, 0)

    @property
    def head(self) -> BookedJob:
        return self.jobs[0]


@dataclass(frozen=True)
class BookedLetter:
    """A job on its way to the dead letters."""

    lane: str
    job: BookedJob
    burial: Burial
