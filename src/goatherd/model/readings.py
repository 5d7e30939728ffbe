"""What a process has counted so far."""

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from goatherd.model.listener import ListenerCount

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
    links: Mapping[str, str]
    #: Listeners of this process, by pattern.
    listeners: Mapping[str, ListenerCount] = {}
    #: In how much the broker differs from the definition, by class; nothing where nobody looks.
    drift: Mapping[str, int] = {}
