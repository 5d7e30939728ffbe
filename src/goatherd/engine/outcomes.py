"""How an attempt is told: in the log, in counts, and how long it may take."""

import logging
from collections.abc import Mapping

from goatherd.model.formats import Work
from goatherd.model.message import Delivery
from goatherd.model.task import TaskDefinition
from goatherd.model.verdict import Again, Answered, Dead, Done, Dropped, HandedBack, Verdict
from goatherd.ports.telemetry import Outcome

log = logging.getLogger("goatherd.worker")


def limit_of(task: TaskDefinition, work: Work, started: float) -> tuple[float | None, bool]:
    """Seconds that the attempt may take, and whether it is the job's deadline that says so."""
    left = None if work.deadline is None else work.deadline - started
    if task.timeout is None or (left is not None and left <= task.timeout):
        return left, left is not None
    return task.timeout, False


def tell_again(again: Again, delivery: Delivery, work: Work | None) -> None:
    """Say that it is tried again, and why."""
    name = (work.task if work is not None else None) or delivery.message.task
    job = f"{name or '?'}[{delivery.message.id}]"
    if again.refused:
        log.warning("%s is offered to others for %.1f s: %s", job, again.delay, again.why)
    else:
        log.warning("%s failed, attempt %d follows in %.1f s: %s", job, again.failures + 1, again.delay, again.why)


def outcome_of(verdict: Verdict) -> Outcome:
    """What is counted."""
    return verdict.outcome if isinstance(verdict, Answered | Dropped) else _OUTCOMES[type(verdict)]


_OUTCOMES: Mapping[type[Verdict], Outcome] = {Done: "done", Again: "retried", Dead: "dead", HandedBack: "handed_back"}
