"""A job that a schedule sends at each of its ticks, as it is kept: made into a job of its own each time."""

import msgspec

from goatherd.errors import DefinitionError
from goatherd.model.job import AnyJob, Job, JobOptions
from goatherd.model.task import TaskDefinition
from goatherd.model.trace_context import NO_CARRIER, Carrier
from goatherd.model.unique import Unique


class ScheduledJob(msgspec.Struct, frozen=True, kw_only=True):
    """What was said when the schedule was set."""

    task: str
    #: Of tasks that are on many queues, the one that was meant.
    queue: str
    payload: msgspec.Raw
    lane: str | None = None
    deadline: float | None = None
    priority: int | None = None
    unique_key: str | None = None
    unique_for: float | None = None


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(ScheduledJob).decode


def kept(schedule: str, job: AnyJob) -> bytes:
    """A job as its schedule keeps it; raises DefinitionError for what only a single job can have."""
    options = job.options
    for given, name in ((options.delay, "delay"), (options.at, "at"), (options.id, "id"), (options.within, "within")):
        if given is not None:
            raise DefinitionError(
                f"The job of schedule {schedule!r} has {name}=, but it is sent again and again: when, and under which "
                f"id, the schedule says. Leave it out."
            )
    if job.definition.answers is not None:
        raise DefinitionError(
            f"The schedule {schedule!r} would send a job of {job.definition.name!r}, whose messages carry an id that "
            f"is fixed when the job is made. Let the schedule send a task of yours that sends it."
        )
    said = ScheduledJob(
        task=job.definition.name,
        queue=job.definition.queue,
        payload=msgspec.Raw(job.payload),
        lane=job.lane,
        deadline=options.deadline,
        priority=options.priority,
        unique_key=None if job.unique is None else job.unique.key,
        unique_for=None if job.unique is None else job.unique.span,
    )
    return _encode(said)


def read(content: bytes) -> ScheduledJob:
    """What is kept."""
    return _decode(content)


def job_of(said: ScheduledJob, definition: TaskDefinition, id: str, carrier: Carrier = NO_CARRIER) -> AnyJob:
    """The job of one tick, in that tick's trace."""
    unique = None if said.unique_key is None else Unique(key=said.unique_key, span=said.unique_for)
    options = JobOptions(id=id, deadline=said.deadline, priority=said.priority, carrier=carrier)
    return Job(definition, id, bytes(said.payload), options, said.lane, unique)
