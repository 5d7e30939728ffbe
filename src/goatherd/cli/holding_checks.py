"""What `goatherd doctor` says about how many jobs a worker takes ahead, and for how long it may hold them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from goatherd.cli.check import Check, warning, wrong
from goatherd.cli.durations import spoken
from goatherd.engine.hold_limits import MARGIN
from goatherd.model.policies import policy_of
from goatherd.model.topology import HoldLimit

if TYPE_CHECKING:
    from goatherd.model.settings import Settings
    from goatherd.model.survey import Survey
    from goatherd.model.task import TaskDefinition
    from goatherd.model.topology import Queue
    from goatherd.ports.broker import QueueOperations

#: How many times the jobs that it does at once a worker should hold at most.
MOST_AHEAD = 20
_RAISE = "raise consumer_timeout in rabbitmq.conf, and say so in GOATHERD_CONSUMER_TIMEOUT"


def holding_checks(
    settings: Settings, tasks: Iterable[TaskDefinition], queues: Iterable[Queue], operations: QueueOperations
) -> Iterator[Check]:
    """Prefetch against concurrency, and both against how long the broker waits for an ack."""
    own = {queue.name: queue.prefetch for queue in queues if queue.prefetch is not None}
    yield from _amounts(settings, own)
    for task in tasks:
        if task.remote:
            continue
        limit = operations.hold_limit(task.queue)
        if limit is None or task.timeout is None:
            continue
        held = own.get(task.queue, settings.held_by_worker)
        yield from _times(task, task.timeout, limit, _turns(held, settings.concurrency, task.concurrency))


def policy_checks(survey: Survey, tasks: Iterable[TaskDefinition]) -> Iterator[Check]:
    """The same for how long a policy of the broker lets a queue wait for an ack, of which a program does not know."""
    for task in tasks:
        queue = survey.blueprint.queue(task.queue)
        if queue is None or task.remote or task.timeout is None or "x-consumer-timeout" in queue.arguments:
            continue
        policy = policy_of(queue, survey.blueprint.policies, survey.default_type)
        told = None if policy is None else policy.definition.get("consumer-timeout")
        if isinstance(told, int):
            yield from _times(task, task.timeout, HoldLimit(seconds=told / 1000, known=True), turns=1)


def _amounts(settings: Settings, own: dict[str, int]) -> Iterator[Check]:
    for where, held in {"GOATHERD_PREFETCH": settings.held_by_worker, **_named(own)}.items():
        if held < settings.concurrency and where == "GOATHERD_PREFETCH":
            found = (
                f"a worker holds {held} jobs of a queue at most (prefetch), so {settings.concurrency} never run at once"
            )
            mend = f"Set GOATHERD_PREFETCH to {2 * settings.concurrency}, or leave it out: twice the concurrency."
            yield warning("prefetch", found, mend)
        elif held > MOST_AHEAD * settings.concurrency:
            found = (
                f"a worker takes up to {held:,} jobs and does {settings.concurrency} at once, while other workers idle"
            )
            yield warning("prefetch", found, f"Lower it with {where}: twice the concurrency is enough.")


def _named(own: dict[str, int]) -> dict[str, int]:
    return {f"prefetch= of the queue {queue}": held for queue, held in own.items()}


def _turns(held: int, *at_once: int | None) -> int:
    """How many jobs one after another a held job may have to wait for, itself included."""
    fewest = min(each for each in at_once if each is not None)
    return max(1, math.ceil(held / fewest))


def _times(task: TaskDefinition, timeout: float, limit: HoldLimit, turns: int) -> Iterator[Check]:
    room = limit.seconds - MARGIN
    after = f"the broker takes a job back after {spoken(limit.seconds)} without an ack (consumer_timeout)"
    if timeout >= room:
        found = f"task {task.name} may run {spoken(timeout)} (timeout), but {after} and gives it to another worker"
        mend = f"Give it a timeout below {spoken(max(0.0, room))}, or {_RAISE}."
        # What is only usual may be otherwise on this broker.
        yield wrong("time-outs", found, mend) if limit.known else warning("time-outs", found, mend)
    elif timeout * turns >= room:
        found = (
            f"a job of task {task.name} may wait in a worker for {turns - 1} others of up to {spoken(timeout)} each, "
            f"but {after}"
        )
        mend = f"Lower prefetch (GOATHERD_PREFETCH, or that of the queue {task.queue}) or the timeout, or {_RAISE}."
        yield warning("prefetch", found, mend)
