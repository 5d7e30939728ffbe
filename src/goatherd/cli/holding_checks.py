"""What `goatherd doctor` says about how many jobs a worker takes ahead, and for how long it may hold them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from goatherd.cli.check import Check, warning, wrong
from goatherd.cli.durations import spoken
from goatherd.cli.wording import counted
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
#: What raises the limit of all queues.
_RAISE = "consumer_timeout in rabbitmq.conf, and say so in GOATHERD_CONSUMER_TIMEOUT"


def holding_checks(
    settings: Settings,
    tasks: Iterable[TaskDefinition],
    queues: Iterable[Queue],
    limit_of: Callable[[str], HoldLimit | None],
) -> Iterator[Check]:
    """Prefetch against concurrency, and both against how long the broker waits for an ack of each queue."""
    own = {queue.name: queue.prefetch for queue in queues if queue.prefetch is not None}
    yield from _amounts(settings, own)
    for task in tasks:
        limit = None if task.remote else limit_of(task.queue)
        if limit is None or task.timeout is None:
            continue
        held = own.get(task.queue, settings.held_by_worker)
        yield from _times(task, task.timeout, limit, _turns(held, settings.concurrency, task.concurrency))


def seen_limits(operations: QueueOperations, survey: Survey | None) -> Callable[[str], HoldLimit | None]:
    """How long a queue may wait for an ack, also by a policy of the broker, of which programs do not know."""

    def limit_of(queue: str) -> HoldLimit | None:
        limit = operations.hold_limit(queue)
        by_policy = None if survey is None else _limit_by_policy(queue, survey)
        if limit is None or by_policy is None:
            return limit
        # What is said for all queues counts only where nothing is said for this one.
        return by_policy if limit.set_by is None else min(limit, by_policy, key=lambda each: each.seconds)

    return limit_of


def _limit_by_policy(name: str, survey: Survey) -> HoldLimit | None:
    queue = survey.blueprint.queue(name)
    policy = None if queue is None else policy_of(queue, survey.blueprint.policies, survey.default_type)
    told = None if policy is None else policy.definition.get("consumer-timeout")
    if policy is None or not isinstance(told, int):
        return None
    return HoldLimit(seconds=told / 1000, known=True, set_by=f"consumer-timeout in the policy {policy.name}")


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
        shorter = f"Give it a timeout below {spoken(room)}, or raise" if room > 0 else "Raise"
        mend = f"{shorter} {limit.set_by or _RAISE}."
        # What is only usual may be otherwise on this broker.
        yield wrong("time-outs", found, mend) if limit.known else warning("time-outs", found, mend)
    elif timeout * turns >= room:
        found = (
            f"a job of task {task.name} may wait in a worker for {counted(turns - 1, 'other')} of up to "
            f"{spoken(timeout)} each, but {after}"
        )
        mend = (
            f"Lower prefetch (GOATHERD_PREFETCH, or that of the queue {task.queue}) or the timeout, or raise "
            f"{limit.set_by or _RAISE}."
        )
        yield warning("prefetch", found, mend)
