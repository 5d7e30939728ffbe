"""Lanes and their jobs as people and programs want to see them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

from goatherd.engine.dead_letters import arguments_of, read_work
from goatherd.model.dead_letter import Burial, Reason
from goatherd.model.envelope import moment
from goatherd.model.formats import failures_of
from goatherd.model.lane import LaneCondition, LaneJob, LaneState, shown, unpacked
from goatherd.model.redaction import redacted

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.ports.lanes import LaneOperations

#: How often a lane that moves fast is looked at before its head is left out.
MOST_LOOKS = 3


@dataclass(frozen=True, kw_only=True)
class LaneJobFacts:
    """A job in a lane."""

    job_id: str
    task: str | None
    queue: str
    #: When it was accepted or, if that is later, when it fell due.
    accepted_at: datetime
    #: Attempts that failed since it was sent or put back.
    failures: int
    #: By name, without secrets; None if they cannot be read.
    arguments: Any

    @property
    def named(self) -> str:
        """`add_comment 0198c1d2-…`."""
        return f"{self.task or 'a job of unknown task'} {self.job_id}"


@dataclass(frozen=True, kw_only=True)
class BurialFacts:
    """Why a job was given up."""

    reason: Reason
    error_type: str
    message: str
    traceback: str
    attempts: int
    failed_at: datetime


@dataclass(frozen=True, kw_only=True)
class LaneFacts:
    """A lane as it stands now."""

    #: Its full key, and as people see it.
    key: str
    shown: str
    condition: LaneCondition
    #: Jobs in it, the head included.
    length: int
    queue: str
    #: The first job; None if the lane moved on while we looked.
    head: LaneJobFacts | None
    #: Who has it.
    worker: str | None
    #: Since when it is in this condition, and until when it stays in it by itself.
    since: datetime
    until: datetime | None
    #: Workers that were lost while they had it.
    deaths: int
    #: Why it is held.
    burial: BurialFacts | None


@dataclass(frozen=True, kw_only=True)
class LaneLook:
    """A lane and its head; None if the lane moved on while we looked."""

    state: LaneState
    head: LaneJobFacts | None
    #: The head as the store has it.
    job: LaneJob | None

    def facts(self) -> LaneFacts:
        """All of it, plain."""
        state = self.state
        return LaneFacts(
            key=state.key,
            shown=shown(state.key),
            condition=state.condition,
            length=state.length,
            queue=state.queue,
            head=self.head,
            worker=state.worker,
            since=moment(state.since),
            until=None if state.until is None else moment(state.until),
            deaths=state.deaths,
            burial=None if state.burial is None else _burial(state.burial),
        )


def _burial(burial: Burial) -> BurialFacts:
    return BurialFacts(**msgspec.structs.asdict(burial) | {"failed_at": moment(burial.failed_at)})


def job_facts(app: Goatherd, job: LaneJob) -> LaneJobFacts:
    """What can be read of a job; a newer version may have written it in another form."""
    accepted = moment(job.accepted)
    try:
        message = unpacked(job.content)
    except msgspec.DecodeError:
        return LaneJobFacts(
            job_id=job.id, task=None, queue=job.queue, accepted_at=accepted, failures=0, arguments=None
        )  # fmt: skip
    work = read_work(message, app.format_of(message.queue), job.accepted)
    arguments = arguments_of(work)
    return LaneJobFacts(
        job_id=work.job_id if work is not None else message.id,
        task=(work.task if work is not None else None) or message.task or None,
        queue=job.queue,
        accepted_at=accepted,
        failures=failures_of(message.headers),
        arguments=None if arguments is None else redacted(arguments, app.settings.redact),
    )


async def read_lane(app: Goatherd, operations: LaneOperations, state: LaneState) -> LaneLook:
    """A lane with its head; if it goes on between the two looks, it is looked at again."""
    for _ in range(MOST_LOOKS):
        jobs = await operations.jobs(state.key, 1)
        if jobs and jobs[0].id == state.head:
            return LaneLook(state=state, head=job_facts(app, jobs[0]), job=jobs[0])
        state = await operations.get(state.key) or state
    return LaneLook(state=state, head=None, job=None)


def names_of(lanes: Sequence[LaneState]) -> dict[str, str]:
    """How each lane is shown, by its key: in full where two would look alike."""
    seen = Counter(shown(lane.key) for lane in lanes)
    return {lane.key: lane.key if seen[shown(lane.key)] > 1 else shown(lane.key) for lane in lanes}


def held_among(lanes: Collection[LaneLook]) -> LaneLook | None:
    """The first that waits for an operator."""
    return next((lane for lane in lanes if lane.state.condition == "held"), None)
