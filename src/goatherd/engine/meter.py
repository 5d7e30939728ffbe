"""Count what happens, cheaply enough to be always on."""

import time
from bisect import bisect_left
from collections import Counter, defaultdict

from goatherd.model.formats import Work
from goatherd.model.message import Message
from goatherd.model.readings import BOUNDS, QueueTask, QueueTaskLabel, Readings, Spread
from goatherd.ports.telemetry import Outcome

#: Seconds that lie at least between two samples of a rate.
SAMPLE_EVERY = 1.0


class Rate:
    """How many a second, between the last two times that somebody asked."""

    __slots__ = ("_count", "_per_second", "_sampled", "_sampled_count")

    def __init__(self) -> None:
        self._count = self._sampled_count = 0
        self._per_second = 0.0
        self._sampled = time.monotonic()

    def count(self) -> None:
        """One more."""
        self._count += 1

    def per_second(self) -> float:
        """The average since it was asked for before."""
        passed = time.monotonic() - self._sampled
        if passed >= SAMPLE_EVERY:
            self._per_second = (self._count - self._sampled_count) / passed
            self._sampled += passed
            self._sampled_count = self._count
        return self._per_second


class Meter:
    """Telemetry that counts; satisfies `Telemetry`."""

    def __init__(self) -> None:
        self._sent: Counter[QueueTask] = Counter()
        self._ended: Counter[QueueTaskLabel] = Counter()
        self._buried: Counter[QueueTaskLabel] = Counter()
        self._running: Counter[QueueTask] = Counter()
        self._run_seconds: defaultdict[QueueTask, Spread] = defaultdict(Spread.empty)
        self._wait_seconds: defaultdict[QueueTask, Spread] = defaultdict(Spread.empty)
        self._links: dict[str, str] = {}
        self.sending: defaultdict[str, Rate] = defaultdict(Rate)
        self.ending: defaultdict[str, Rate] = defaultdict(Rate)

    def sent(self, message: Message) -> None:
        self._sent[message.queue, message.task] += 1
        self.sending[message.queue].count()

    def started(self, queue: str, task: str, work: Work, waited: float) -> None:
        self._running[queue, task] += 1
        _sort_in(self._wait_seconds[queue, task], waited)

    def ended(self, queue: str, task: str, work: Work, outcome: Outcome, seconds: float) -> None:
        self._running[queue, task] -= 1
        self._ended[queue, task, outcome] += 1
        self.ending[queue].count()
        _sort_in(self._run_seconds[queue, task], seconds)

    def buried(self, queue: str, task: str, job_id: str, reason: str) -> None:
        self._buried[queue, task, reason] += 1

    def link(self, port: str, state: str) -> None:
        self._links[port] = state

    def readings(self) -> Readings:
        """All counts as they stand."""
        return Readings(
            sent=dict(self._sent),
            ended=dict(self._ended),
            buried=dict(self._buried),
            running=dict(self._running),
            run_seconds=dict(self._run_seconds),
            wait_seconds=dict(self._wait_seconds),
            links=dict(self._links),
        )


def _sort_in(spread: Spread, seconds: float) -> None:
    spread.classes[bisect_left(BOUNDS, seconds)] += 1
    spread.total += seconds
