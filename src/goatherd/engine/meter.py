"""Count what happens, cheaply enough to be always on."""

import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping

from goatherd.model.formats import Work
from goatherd.model.listener import ListenerCount
from goatherd.model.message import Message
from goatherd.model.readings import BOUNDS, QueueTask, QueueTaskLabel, Readings, Spread
from goatherd.ports.telemetry import AnswerOutcome, CallOutcome, Outcome, Stray

NO_LISTENERS: Mapping[str, ListenerCount] = {}
NO_DRIFT: Mapping[str, int] = {}

#: Seconds that lie at least between two samples of a rate.
SAMPLE_EVERY = 1.0


class Rate:
    """How many a second, between the last two times that somebody asked."""

    __slots__ = ("_count", "_per_second", "_sampled", "_sampled_count")

    def __init__(self) -> None:
        self._count = self._sampled_count = 0
        self._per_second = 0.0
        self._sampled = time.monotonic()

    def count(self, more: int = 1) -> None:
        """One more, or several."""
        self._count += more

    def per_second(self) -> float:
        """The average since it was asked for before."""
        passed = time.monotonic() - self._sampled
        if passed >= SAMPLE_EVERY:
            self._per_second = (self._count - self._sampled_count) / passed
            self._sampled += passed
            self._sampled_count = self._count
        return self._per_second


class _Attempts:
    """The attempts of one task from one queue: found once for each event, because this is on every job's way."""

    __slots__ = ("ended", "run_seconds", "running", "wait_seconds")

    def __init__(self) -> None:
        self.running = 0
        self.ended: dict[Outcome, int] = {}
        self.run_seconds = Spread.empty()
        self.wait_seconds = Spread.empty()


class Meter:
    """Telemetry that counts; satisfies `Telemetry`."""

    def __init__(self) -> None:
        #: What the queues of a task are counted under, where it has many.
        self._patterns: dict[str, str] = {}
        self._sent: Counter[QueueTask] = Counter()
        self._attempts: defaultdict[QueueTask, _Attempts] = defaultdict(_Attempts)
        self._buried: Counter[QueueTaskLabel] = Counter()
        self._calls: Counter[QueueTaskLabel] = Counter()
        self._call_seconds: defaultdict[QueueTask, Spread] = defaultdict(Spread.empty)
        self._answers: Counter[tuple[str, str]] = Counter()
        self._strays: Counter[str] = Counter()
        self._events_lost: Counter[str] = Counter()
        self._links: dict[str, str] = {}
        self.sending: defaultdict[str, Rate] = defaultdict(Rate)
        self.ending: defaultdict[str, Rate] = defaultdict(Rate)

    def count_together(self, task: str, pattern: str) -> None:
        """A task has many queues: one line for all of them."""
        self._patterns[task] = pattern

    def sent(self, message: Message) -> None:
        self._sent[self._patterns.get(message.task, message.queue), message.task] += 1
        self.sending[message.queue].count()

    def started(self, queue: str, task: str, work: Work, waited: float) -> None:
        attempts = self._attempts[self._patterns.get(task, queue), task]
        attempts.running += 1
        _sort_in(attempts.wait_seconds, waited)

    def ended(self, queue: str, task: str, work: Work, outcome: Outcome, seconds: float) -> None:
        attempts = self._attempts[self._patterns.get(task, queue), task]
        attempts.running -= 1
        attempts.ended[outcome] = attempts.ended.get(outcome, 0) + 1
        _sort_in(attempts.run_seconds, seconds)
        self.ending[queue].count()

    def buried(self, queue: str, task: str, job_id: str, reason: str) -> None:
        self._buried[self._patterns.get(task, queue), task, reason] += 1

    def called(self, queue: str, task: str, outcome: CallOutcome, seconds: float) -> None:
        told = self._patterns.get(task, queue)
        self._calls[told, task, outcome] += 1
        _sort_in(self._call_seconds[told, task], seconds)

    def answered(self, queue: str, outcome: AnswerOutcome) -> None:
        self._answers[queue, outcome] += 1

    def took_answers(self, queue: str, count: int) -> None:
        self.ending[queue].count(count)

    def stray_reply(self, why: Stray) -> None:
        self._strays[why] += 1

    def events_lost(self, count: int, why: str) -> None:
        self._events_lost[why] += count

    def link(self, port: str, state: str) -> None:
        self._links[port] = state

    def readings(
        self, listeners: Mapping[str, ListenerCount] = NO_LISTENERS, drift: Mapping[str, int] = NO_DRIFT
    ) -> Readings:
        """All counts as they stand, with the listeners that there are now and what was last seen of the broker."""
        return Readings(
            listeners=listeners,
            drift=drift,
            sent=dict(self._sent),
            ended={(*which, outcome): n for which, one in self._attempts.items() for outcome, n in one.ended.items()},
            buried=dict(self._buried),
            running={which: one.running for which, one in self._attempts.items()},
            run_seconds={which: one.run_seconds for which, one in self._attempts.items() if one.ended},
            wait_seconds={which: one.wait_seconds for which, one in self._attempts.items()},
            calls=dict(self._calls),
            call_seconds=dict(self._call_seconds),
            answers=dict(self._answers),
            strays=dict(self._strays),
            events_lost=dict(self._events_lost),
            links=dict(self._links),
        )


def _sort_in(spread: Spread, seconds: float) -> None:
    spread.classes[bisect_left(BOUNDS, seconds)] += 1
    spread.total += seconds
