"""Tasks that may run longer than the broker lets a worker hold a job: found at the start, not after half an hour.

A broker that takes a job back gives it to another worker while the first still runs it, and so on without end: no ack
is ever in time. So a task that may take as long as that is refused where the limit is known.
"""

import logging
from collections.abc import Iterable

from goatherd.errors import DefinitionError
from goatherd.model.task import TaskDefinition
from goatherd.ports.broker import QueueOperations

#: Seconds by which a task's time-out must stay below the limit: an attempt that is cut off must still be told about.
MARGIN = 60.0

log = logging.getLogger("goatherd.worker")


def check_hold_limits(tasks: Iterable[TaskDefinition], operations: QueueOperations) -> None:
    """Refuse time-outs above a known limit, warn of those above a usual one; raises DefinitionError."""
    for task in tasks:
        limit = operations.hold_limit(task.queue)
        if limit is None or task.timeout is None or task.timeout < limit.seconds - MARGIN:
            continue
        if limit.known:
            raise DefinitionError(
                f"The task {task.name!r} has timeout={task.timeout:g}, but the broker takes a job back after "
                f"{limit.seconds:g} s without an ack (consumer_timeout) and gives it to another worker while the first "
                f"still runs it. Give the task a timeout below {max(0.0, limit.seconds - MARGIN):g}, or raise "
                f"{limit.set_by or 'consumer_timeout on the broker and in GOATHERD_CONSUMER_TIMEOUT'}."
            )
        log.warning(
            "The task %r has timeout=%g. Unless told otherwise, RabbitMQ takes a job back after %g s and gives it to "
            "another worker while the first still runs it. Raise consumer_timeout in rabbitmq.conf, and say so here "
            "with GOATHERD_CONSUMER_TIMEOUT",
            task.name, task.timeout, limit.seconds,
        )  # fmt: skip
