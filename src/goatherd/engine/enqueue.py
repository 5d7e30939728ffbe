"""Get jobs from the sender to the broker: check, stamp, publish."""

from collections.abc import Iterable
from contextvars import ContextVar
from itertools import islice
from typing import Any

import msgspec

from goatherd.errors import InvalidArguments, Unavailable
from goatherd.model.envelope import with_members
from goatherd.model.formats import Stamp
from goatherd.model.ids import new_id
from goatherd.model.job import AnyJob, Job, JobOptions
from goatherd.model.message import NO_HEADERS, Headers, Message
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
    job_id = options.id or new_id()
    if task.answers is not None:
        # Whoever answers puts it into the answer, and so we know which job that one belongs to.
        payload = with_members(payload, {task.answers.match: job_id})
    return Job(task, job_id, payload, options)


class Sender:
    """Sends the jobs of one app."""

    def __init__(self, broker: Broker, clock: Clock, telemetry: Telemetry) -> None:
        self._broker = broker
        self._clock = clock
        self._telemetry = telemetry

    async def send(self, job: AnyJob, deadline: float | None = None, headers: Headers = NO_HEADERS) -> str:
        """Send one job; durable when it returns its id. A deadline given here wins over the job's own."""
        await self._publish([self._message(job, deadline, headers)])
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

    def request(self, job: AnyJob, deadline: float, reply_to: str) -> Message:
        """A job whose answer somebody waits for until the deadline."""
        if job.options.due(0.0) is not None:
            raise ValueError("A call is made now: delay= and at= are for `send`.")
        return self._stamped(job, self._clock.now(), deadline, reply_to)

    def _message(self, job: AnyJob, deadline: float | None = None, headers: Headers = NO_HEADERS) -> Message:
        now = self._clock.now()
        told = job.options.deadline if job.options.deadline is not None else job.definition.deadline
        if deadline is None and told is not None:
            deadline = now + told
        message = self._stamped(job, now, deadline)
        return msgspec.structs.replace(message, headers={**message.headers, **headers}) if headers else message

    def _stamped(self, job: AnyJob, now: float, deadline: float | None, reply_to: str = "") -> Message:
        task, options = job.definition, job.options
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
            reply_to=reply_to,
        )
