"""One piece of work, checked and not yet sent."""

from datetime import datetime
from typing import Any, Generic, Literal, TypeVar

import msgspec

from goatherd.model.seconds import Seconds, seconds
from goatherd.model.task import TaskDefinition, check_priority
from goatherd.model.trace_context import NO_CARRIER, Carrier
from goatherd.model.unique import Unique, UniqueOption, checked_unique

R_co = TypeVar("R_co", covariant=True)

#: Brokers keep an id in a field of this many bytes.
LONGEST_ID = 255


class JobOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What `.options(...)` said about one job."""

    delay: float | None = None
    #: Seconds since the epoch.
    at: float | None = None
    deadline: float | None = None
    id: str | None = None
    priority: int | None = None
    #: Whether a delayed job of a task with a key holds its lane until it is due.
    keep_place: bool = False
    #: For how long no second job with the same task and arguments is made: seconds, or until it has ended.
    unique: float | Literal["until_done"] | None = None
    #: The user's connection in a transaction, with which the job is sent if and only if that is committed.
    within: Any = None
    #: The trace that it belongs to, where that is another one than is current when it is sent.
    carrier: Carrier = NO_CARRIER

    def due(self, now: float) -> float | None:
        """When it may start; None for at once."""
        if self.at is not None:
            return self.at
        return now + self.delay if self.delay else None

    def then(self, later: "JobOptions") -> "JobOptions":
        """These options and later ones, which win; a later `delay` or `at` takes the place of both."""
        start = self if later.delay is None and later.at is None else later
        return JobOptions(
            delay=start.delay,
            at=start.at,
            deadline=self.deadline if later.deadline is None else later.deadline,
            id=later.id or self.id,
            priority=self.priority if later.priority is None else later.priority,
            keep_place=later.keep_place or self.keep_place,
            unique=self.unique if later.unique is None else later.unique,
            within=self.within if later.within is None else later.within,
        )

    def once(self, unique: UniqueOption | None, within: object, *, keep_place: bool = False) -> "JobOptions":
        """The same, with more that the user wrote; raises DefinitionError."""
        return msgspec.structs.replace(
            self,
            keep_place=keep_place,
            unique=None if unique is None else checked_unique(unique, "This job"),
            within=within,
        )


NO_OPTIONS = JobOptions()


def job_options(
    delay: Seconds | None, at: datetime | None, deadline: Seconds | None, id: str | None, priority: int | None
) -> JobOptions:
    """Check what the user wrote; raises ValueError or DefinitionError."""
    if delay is not None and at is not None:
        raise ValueError("Give delay= or at=, not both: each says when the job may start.")
    if at is not None and at.tzinfo is None:
        raise ValueError("at= has no time zone; write at=datetime(..., tzinfo=UTC) or use delay=.")
    if priority is not None:
        check_priority(priority, "This job")
    if id is not None:
        _check_id(id)
    return JobOptions(
        delay=_positive(delay, "delay", or_zero=True),
        at=None if at is None else at.timestamp(),
        deadline=_positive(deadline, "deadline"),
        id=id,
        priority=priority,
    )


def _check_id(id: str) -> None:
    if not id:
        raise ValueError("id= is empty; leave it out to get a new id.")
    if len(id.encode("utf-8", "surrogatepass")) > LONGEST_ID or not id.isprintable():
        raise ValueError(f"id={id!r} cannot be an id: use up to {LONGEST_ID} bytes of printable text.")


def _positive(value: Seconds | None, name: str, *, or_zero: bool = False) -> float | None:
    if value is None:
        return None
    span = seconds(value)
    if span < 0 or (span == 0 and not or_zero):
        least = "0 or more" if or_zero else "more than 0"
        raise ValueError(f"{name}={value!r} is not a time to come; give {least} seconds.")
    return span


class Job(Generic[R_co]):
    """One piece of work, checked and not yet sent; made by `task.job(...)` for `app.send_many`."""

    __slots__ = ("_definition", "_id", "_lane", "_options", "_payload", "_unique")

    def __init__(
        self,
        definition: TaskDefinition,
        id: str,
        payload: bytes,
        options: JobOptions,
        lane: str | None = None,
        unique: Unique | None = None,
    ) -> None:
        self._definition = definition
        self._id = id
        self._payload = payload
        self._options = options
        self._lane = lane
        self._unique = unique

    @property
    def id(self) -> str:
        """The id under which it will be known."""
        return self._id

    @property
    def definition(self) -> TaskDefinition:
        """Its task."""
        return self._definition

    @property
    def payload(self) -> bytes:
        """Its arguments as JSON."""
        return self._payload

    @property
    def options(self) -> JobOptions:
        """When, how urgent, until when."""
        return self._options

    @property
    def lane(self) -> str | None:
        """The full key of the lane that it belongs to; None if it belongs to none."""
        return self._lane

    @property
    def unique(self) -> Unique | None:
        """What no second job may have in common with it; None if any number may."""
        return self._unique

    def __repr__(self) -> str:
        return f"<Job {self._definition.name} {self._id}>"


AnyJob = Job[Any]
