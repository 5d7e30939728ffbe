"""Get jobs from the sender to the broker: check, stamp, publish."""

from collections.abc import Iterable
from contextvars import ContextVar
from itertools import islice
from typing import Any

from goatherd.errors import InvalidArguments, Unavailable
from goatherd.model.formats import Stamp
from goatherd.model.ids import new_id
from goatherd.model.job import AnyJob, Job, JobOptions
from goatherd.model.message import Message
from goatherd.model.task import TaskDefinition
from goatherd.ports.broker import Broker
from goatherd.ports.clock import Clock
from goatherd.ports.telemetry import Telemetry

#: Jobs of `send_many` that go to the broker in one publish.
BATCH = 1000

#: The trace of the job whose code runs now, so that what it sends belongs to the same story.
current_trace: ContextVar[str] = ContextVar("goatherd_trace", default="")


def prepare(
    task: TaskDefinition, args: tuple[Any, ...], kwargs: dict[str, Any], options: JobOptions, payload_limit: int
) -> AnyJob:
    """A job of a task, its arguments checked; raises InvalidArguments."""
    payload = task.signature.encode(task.signature.bind(args, kwargs))
    if len(payload) > payload_limit:
        too_large = (
            f"they take {len(payload):,} bytes, but at most {payload_limit:,} are allowed; put the content into a file "
            f"or an object store and send its name, or raise GOATHERD_PAYLOAD_LIMIT"
        )
        raise InvalidArguments(task.name, {"all together": too_large})
    return Job(task, options.id or new_id(), payload, options)


class Sender:
    """Sends the jobs of one app."""

    def __init__(self, broker: Broker, clock: Clock, telemetry: Telemetry) -> None:
        self._broker = broker
        self._clock = clock
        self._telemetry = telemetry

    async def send(self, job: AnyJob) -> str:
        """Send one job; durable when it returns its id."""
        await self._publish([self._message(job)])
        return job.id

    async def send_many(self, jobs: Iterable[AnyJob]) -> list[str]:
        """Send jobs in batches, in order; the first failure ends it and tells which were not accepted."""
        waiting = list(jobs)
        messages = [self._message(job) for job in waiting]
        left = iter(messages)
        sent = 0
        while batch := list(islice(left, BATCH)):
            try:
                await self._publish(batch)
            except Unavailable as error:
                refused = set(error.jobs) or {message.id for message in batch}
                untried = [message.id for message in messages[sent + len(batch) :]]
                error.jobs = (*(message.id for message in batch if message.id in refused), *untried)
                raise
            sent += len(batch)
        return [job.id for job in waiting]

    async def _publish(self, messages: list[Message]) -> None:
        await self._broker.publish(messages)
        for message in messages:
            self._telemetry.sent(message)

    def _message(self, job: AnyJob) -> Message:
        now = self._clock.now()
        task, options = job.definition, job.options
        wanted_for = options.deadline if options.deadline is not None else task.deadline
        deadline = None if wanted_for is None else now + wanted_for
        trace = current_trace.get() or job.id
        stamp = Stamp(job_id=job.id, task=task.name, trace_id=trace, created=now, deadline=deadline)
        body, headers = task.format.encode(stamp, job.payload)
        return Message(
            id=job.id,
            queue=task.queue,
            body=body,
            task=task.name,
            headers=headers,
            priority=task.priority if options.priority is None else options.priority,
            due=options.due(now),
            expires=deadline,
        )
