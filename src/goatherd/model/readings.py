"""What a process has counted so far, and what it last saw of what all share."""

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from goatherd.model.listener import ListenerCount
from goatherd.model.routing import RouterReadings
from goatherd.model.shared_readings import NOTHING_SEEN, SharedReadings

QueueTask: TypeAlias = tuple[str, str]
QueueTaskLabel: TypeAlias = tuple[str, str, str]

#: Upper bounds in seconds of the classes into which run times and waiting times are sorted.
BOUNDS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0)


class Spread(msgspec.Struct):
    """How often a duration fell into each class; the last class is open."""

    classes: list[int]
    total: float = 0.0

    @classmethod
    def empty(cls) -> "Spread":
        """Nothing counted yet."""
        return cls([0] * (len(BOUNDS) + 1))


class Readings(msgspec.Struct, frozen=True, kw_only=True):
    """Counts since the process started, by queue and task and, where there is a third, outcome or reason."""

    sent: Mapping[QueueTask, int]
    ended: Mapping[QueueTaskLabel, int]
    buried: Mapping[QueueTaskLabel, int]
    running: Mapping[QueueTask, int]
    run_seconds: Mapping[QueueTask, Spread]
    wait_seconds: Mapping[QueueTask, Spread]
    #: Calls of this process by how they ended, and how long they took.
    calls: Mapping[QueueTaskLabel, int]
    call_seconds: Mapping[QueueTask, Spread]
    #: What became of answers at this worker, by queue.
    answers: Mapping[tuple[str, str], int]
    #: Answers for which nobody waited, by why.
    strays: Mapping[str, int]
    #: Events of tracked jobs that nobody will see, by why.
    events_lost: Mapping[str, int]
    #: The state of each connection that this process has, by what it is for.
    links: Mapping[str, str]
    #: Listeners of this process, by pattern.
    listeners: Mapping[str, ListenerCount] = {}
    #: In how much the broker differs from the definition, by class; nothing where nobody looks.
    drift: Mapping[str, int] = {}
    #: Ticks that this process put on record, by schedule and what became of them.
    ticks: Mapping[tuple[str, str], int] = {}
    #: Commands that this process took in, by inbox and how far they came.
    commands: Mapping[tuple[str, str], int] = {}
    #: What this scheduler cannot do now (1) or can (0), by kind and name.
    troubles: Mapping[tuple[str, str], int] = {}
    #: Of a router, if this process is one.
    router: RouterReadings | None = None
    #: What is the same for all processes, as it was last seen by this one.
    shared: SharedReadings = NOTHING_SEEN
