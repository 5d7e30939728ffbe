"""Callers that write down how each of their calls ended, and when."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from goatherd import Goatherd
from goatherd.errors import CallTimeout, JobFailed, Refused, Unavailable
from goatherd.task import Task

#: Seconds beyond its deadline by which a call must have ended.
TOLERANCE = 1.0

_WORDS = {JobFailed: "failed", CallTimeout: "timeout", Refused: "refused", Unavailable: "unavailable"}


@dataclass(frozen=True)
class End:
    """How one call ended."""

    number: int
    #: What came back; None if nothing did.
    result: int | None
    #: In the words of the metrics.
    outcome: str
    error: BaseException | None
    seconds: float
    deadline: float


def caller(
    broker_url: str | None, *, queue_type: Literal["quorum", "classic"] = "quorum", **settings: Any
) -> tuple[Goatherd, Task[[int, int], int]]:
    """An app that calls the herd, and its task to call."""
    app = Goatherd("faults", broker_url=broker_url, queue_type=queue_type, **settings)

    @app.task(remote=True)
    async def answer(number: int, milliseconds: int) -> int:
        raise NotImplementedError("the herd does this")

    return app, answer


async def call(task: Task[[int, int], int], number: int, milliseconds: int, deadline: float) -> End:
    """One call, until its end."""
    began = time.monotonic()
    result, error = None, None
    try:
        result = await task.options(deadline=deadline).call(number, milliseconds)
    except (JobFailed, CallTimeout, Unavailable) as raised:
        error = raised
    outcome = "answered" if error is None else _WORDS[type(error)]
    return End(number, result, outcome, error, time.monotonic() - began, deadline)


def calling(
    task: Task[[int, int], int], numbers: Iterable[int], milliseconds: int, deadline: float
) -> "asyncio.Future[list[End]]":
    """Many calls at once."""
    return asyncio.gather(*(call(task, number, milliseconds, deadline) for number in numbers))


def check(app: Goatherd, ends: Sequence[End]) -> Counter[str]:
    """Each ended in time, in one way, with its own answer, as the metrics count it too; returns how many ended how."""
    late = [end for end in ends if end.seconds > end.deadline + TOLERANCE]
    assert not late, f"these ended too late: {late[:5]}"
    wrong = [end for end in ends if end.outcome == "answered" and end.result != end.number]
    assert not wrong, f"these got another's answer: {wrong[:5]}"
    ended = Counter(end.outcome for end in ends)
    counted: Counter[str] = Counter()
    for (_, _, outcome), count in app.meter.readings().calls.items():
        counted[outcome] += count
    assert counted == ended
    assert app.session().calls.in_flight == 0
    return ended


def accepted(app: Goatherd) -> bool:
    """Whether the broker has every call that waits."""
    pending = app.session().calls._pending.values()
    return bool(pending) and all(each.accepted for each in pending)


def why(ends: Sequence[End]) -> str:
    """For people: the errors of calls that did not end well."""
    return "\n".join(f"{end.number}: {end.seconds:.1f} s: {end.error}" for end in ends if end.error is not None)[:3000]
