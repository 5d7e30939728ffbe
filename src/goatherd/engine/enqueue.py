"""Get jobs from the sender to the broker: check, stamp, publish."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextvars import ContextVar
from itertools import islice
from typing import Any, TypeAlias

import msgspec

from goatherd.engine.lane_posting import LanePosting, lane_item
from goatherd.engine.listener_doors import ListenerDoors
from goatherd.engine.means import Means
from goatherd.errors import InvalidArguments, Unavailable
from goatherd.model.envelope import with_members
from goatherd.model.formats import Stamp
from goatherd.model.ids import new_id
from goatherd.model.job import AnyJob, Job, JobOptions
from goatherd.model.lane import LaneItem
from goatherd.model.message import LANE, NO_HEADERS, ON_EXHAUSTED, RETRIES, UNIQUE, Headers, Message
from goatherd.model.task import TaskDefinition
from goatherd.model.unique import unique_of
from goatherd.ports.calls import Receipt

#: Jobs of `send_many` that go to the broker in one publish.
BATCH = 1000

#: How the way into the lanes is opened, at first use.
PostingOpener: TypeAlias = Callable[[], Awaitable[LanePosting]]

#: The trace of the job whose code runs now, so that what it sends belongs to the same story.
current_trace: ContextVar[str] = ContextVar("goatherd_trace", default="")


def prepare(
    task: TaskDefinition,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    options: JobOptions,
    payload_limit: int,
    app: str = "",
) -> AnyJob:
    """A job of a task, its arguments checked; raises InvalidArguments."""
    bound = task.signature.bind(args, kwargs)
    payload = task.signature.encode(bound)
    check_size(task.name, payload, payload_limit)
    if options.keep_place and (task.lane is None or options.due(0.0) is None):
        raise ValueError("keep_place= is for a delayed job of a task with a key: give delay= or at= too.")
    job_id = options.id or new_id()
    # As workers will read them: the same value, written in two ways, is one key.
    lane = None if task.lane is None else task.lane.key_of(task.signature.read_back(payload))
    wanted = task.unique if options.unique is None else options.unique
    unique = None if wanted is None else unique_of(app, task.name, task.signature, payload, wanted)
    if task.answers is not None:
        # Whoever answers puts it into the answer, and so we know which job that one belongs to.
        payload = with_members(payload, {task.answers.match: job_id})
    return Job(task, job_id, payload, options, lane, unique)


def check_size(name: str, payload: bytes, limit: int) -> None:
    """Raise InvalidArguments for arguments that are too large to be sent."""
    if len(payload) > limit:
        too_large = (
            f"they take {len(payload):,} bytes, but at most {limit:,} are allowed; put the content into a file or an "
            f"object store and send its name, or raise GOATHERD_PAYLOAD_LIMIT"
        )
        raise InvalidArguments(name, {"all together": too_large})


class Sender:
    """Sends the jobs of one app."""

    def __init__(self, means: Means, posting: PostingOpener) -> None:
        self.doors = ListenerDoors(means.broker)
        self._clock = means.clock
        self._telemetry = means.telemetry
        self._open_posting = posting
        self.tracer = means.tracer

    async def send(self, job: AnyJob, deadline: float | None = None, headers: Headers = NO_HEADERS) -> str:
        """Send one job; durable when it returns its id. A deadline given here wins over the job's own."""
        await self._take([(job, self.message(job, deadline, headers))])
        return job.id

    async def send_many(self, jobs: Iterable[AnyJob]) -> list[str]:
        """Send jobs in batches, in order; the first failure ends it and tells which were not accepted."""
        waiting = [(job, self.message(job)) for job in jobs]
        left = iter(waiting)
        sent = 0
        while batch := list(islice(left, BATCH)):
            try:
                await self._take(batch)
            except Unavailable as error:
                refused = set(error.jobs) or {job.id for job, _ in batch}
                untried = [job.id for job, _ in waiting[sent + len(batch) :]]
                error.jobs = (*(job.id for job, _ in batch if job.id in refused), *untried)
                raise
            sent += len(batch)
        return [job.id for job, _ in waiting]

    async def ask_in_lane(self, job: AnyJob, request: Message, receipt: Receipt) -> None:
        """Put a request into its lane, whose answer somebody waits for; the receipt is told what became of it."""
        (await self._open_posting()).ask(self.item(job, request), receipt)

    async def _take(self, batch: Sequence[tuple[AnyJob, Message]]) -> None:
        """Have all of them accepted: by the broker, or by their lanes."""
        loose = [message for job, message in batch if job.lane is None]
        laned = [self.item(job, message) for job, message in batch if job.lane is not None]
        if loose:
            try:
                await self.doors.publish(loose)
            except Unavailable as error:
                error.jobs = (*(error.jobs or [message.id for message in loose]), *(item.id for item in laned))
                raise
            self._note_sent(loose)
        if laned:
            await (await self._open_posting()).put(laned)
            self._note_sent(message for job, message in batch if job.lane is not None)

    def _note_sent(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self._telemetry.sent(message)

    def item(self, job: AnyJob, message: Message) -> LaneItem:
        """A keyed job as its lane keeps it."""
        rule, options = job.definition.lane, job.options
        return lane_item(
            message,
            limit=None if rule is None else rule.limit,
            keep_place=options.keep_place,
            named=options.id is not None,
            now=self._clock.now(),
        )

    def request(self, job: AnyJob, deadline: float, reply_to: str) -> Message:
        """A job whose answer somebody waits for until the deadline."""
        if job.options.due(0.0) is not None:
            raise ValueError("A call is made now: delay= and at= are for `send`.")
        return self._stamped(job, self._clock.now(), deadline, reply_to)

    def message(self, job: AnyJob, deadline: float | None = None, headers: Headers = NO_HEADERS) -> Message:
        """A job as brokers carry it."""
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
        if job.lane is not None and task.lane is not None:
            marks: Headers = {LANE: job.lane, ON_EXHAUSTED: task.lane.on_exhausted, RETRIES: task.retry.retries}
            headers = {**headers, **marks}
        if job.unique is not None and job.unique.span is None and not reply_to:
            headers = {**headers, UNIQUE: job.unique.key}
        if self.tracer is not None and (carrier := options.carrier or self.tracer.carrier()):
            headers = {**headers, **carrier}
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
