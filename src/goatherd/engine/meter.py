"""Count what happens, cheaply enough to be always on."""

import time
from bisect import bisect_left
from collections import Counter, defaultdict

from goatherd.model.formats import Work
from goatherd.model.label_limit import OTHER, Limited
from goatherd.model.message import Message
from goatherd.model.readings import BOUNDS, QueueTask, Readings, Spread
from goatherd.ports.telemetry import AnswerOutcome, CallOutcome, Outcome, Stray

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


class _Line:
    """What is counted of one task on one queue: found once for each event, because this is on every job's way."""

    __slots__ = ("buried", "call_seconds", "calls", "ended", "run_seconds", "running", "sent", "wait_seconds")

    def __init__(self) -> None:
        self.sent = 0
        self.running = 0
        self.ended: dict[Outcome, int] = {}
        self.buried: dict[str, int] = {}
        self.calls: dict[CallOutcome, int] = {}
        self.run_seconds = Spread.empty()
        self.wait_seconds: Spread | None = None
        self.call_seconds = Spread.empty()


class Meter:
    """Telemetry that counts; satisfies `Telemetry`."""

    def __init__(self) -> None:
        #: What the queues of a task are counted under, where it has many.
        self._patterns: dict[str, str] = {}
        #: Limited, for whoever sends jobs names their tasks.
        self._lines: Limited[QueueTask, _Line] = Limited(_Line, (OTHER, OTHER))
        self._answers: Limited[str, Counter[str]] = Limited(Counter, OTHER)
        self._strays: Counter[str] = Counter()
        self._events_lost: Counter[str] = Counter()
        self._links: dict[str, str] = {}
        self.sending: defaultdict[str, Rate] = defaultdict(Rate)
        self.ending: defaultdict[str, Rate] = defaultdict(Rate)

    def count_together(self, task: str, pattern: str) -> None:
        """A task has many queues: one line for all of them."""
        self._patterns[task] = pattern

    def sent(self, message: Message) -> None:
        self._lines[self._patterns.get(message.task, message.queue), message.task].sent += 1
        self.sending[message.queue].count()

    def started(self, queue: str, task: str, work: Work, waited: float) -> None:
        line = self._lines[self._patterns.get(task, queue), task]
        line.running += 1
        if line.wait_seconds is None:
            line.wait_seconds = Spread.empty()
        _sort_in(line.wait_seconds, waited)

    def ended(self, queue: str, task: str, work: Work, outcome: Outcome, seconds: float) -> None:
        line = self._lines[self._patterns.get(task, queue), task]
        line.running -= 1
        line.ended[outcome] = line.ended.get(outcome, 0) + 1
        _sort_in(line.run_seconds, seconds)
        self.ending[queue].count()

    def buried(self, queue: str, task: str, job_id: str, reason: str) -> None:
        buried = self._lines[self._patterns.get(task, queue), task].buried
        buried[reason] = buried.get(reason, 0) + 1

    def called(self, queue: str, task: str, outcome: CallOutcome, seconds: float) -> None:
        line = self._lines[self._patterns.get(task, queue), task]
        line.calls[outcome] = line.calls.get(outcome, 0) + 1
        _sort_in(line.call_seconds, seconds)

    def answered(self, queue: str, outcome: AnswerOutcome) -> None:
        self._answers[queue][outcome] += 1

    def took_answers(self, queue: str, count: int) -> None:
        self.ending[queue].count(count)

    def stray_reply(self, why: Stray) -> None:
        self._strays[why] += 1

    def events_lost(self, count: int, why: str) -> None:
        self._events_lost[why] += count

    def link(self, port: str, state: str) -> None:
        self._links[port] = state

    def readings(self) -> Readings:
        """All counts as they stand; also on another thread than theirs, as in threaded programs."""
        # Copied in one step each: what grows while it is gone through would raise an error.
        lines = list(self._lines.items())
        answers = list(self._answers.items())
        return Readings(
            sent={which: line.sent for which, line in lines if line.sent},
            ended={(*which, outcome): count for which, line in lines for outcome, count in list(line.ended.items())},
            buried={(*which, reason): count for which, line in lines for reason, count in list(line.buried.items())},
            running={which: line.running for which, line in lines if line.wait_seconds is not None},
            run_seconds={which: line.run_seconds for which, line in lines if line.ended},
            wait_seconds={which: line.wait_seconds for which, line in lines if line.wait_seconds is not None},
            calls={(*which, outcome): count for which, line in lines for outcome, count in list(line.calls.items())},
            call_seconds={which: line.call_seconds for which, line in lines if line.calls},
            answers={(queue, outcome): n for queue, counts in answers for outcome, n in list(counts.items())},
            strays=dict(self._strays),
            events_lost=dict(self._events_lost),
            links=dict(self._links),
        )


def _sort_in(spread: Spread, seconds: float) -> None:
    spread.classes[bisect_left(BOUNDS, seconds)] += 1
    spread.total += seconds
