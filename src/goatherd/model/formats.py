"""How a job looks on a queue: our own envelope, a bare JSON body, or TaskIQ's layout."""

from collections.abc import Mapping
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

import msgspec

from goatherd.model import envelope
from goatherd.model.envelope import BROKEN, Envelope, Unparsable, timestamp, with_members
from goatherd.model.ids import new_id
from goatherd.model.message import FAILURES, RETRIES, Delivery, Headers, count_of

FormatName: TypeAlias = Literal["native", "plain", "taskiq"]
_Read = TypeVar("_Read")


class Stamp(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a job besides its arguments."""

    job_id: str
    task: str
    trace_id: str
    created: float
    deadline: float | None = None


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """A job as a worker reads it from a delivery, its arguments still raw."""

    job_id: str
    #: The pipeline's run that it is part of; nothing for a job of its own.
    run_id: str = ""
    #: None where the queue, not the message, says which task it is.
    task: str | None
    payload: msgspec.Raw
    #: Arguments by position, which only TaskIQ's layout has.
    positional: tuple[msgspec.Raw, ...] = ()
    failures: int = 0
    trace_id: str = ""
    created: float
    deadline: float | None = None
    #: How often it is tried again, where that travels with it; None means as its task says.
    retries: int | None = None

    @property
    def attempt(self) -> int:
        """From 1."""
        return self.failures + 1


class Format(Protocol):
    """Write and read jobs in one layout."""

    name: FormatName

    def encode(self, stamp: Stamp, payload: bytes) -> tuple[bytes, Headers]:
        """Body and headers of a new job."""

    def decode(self, delivery: Delivery) -> Work:
        """The job in a delivery; raises Unparsable or FromTheFuture."""

    def for_attempt(self, body: bytes, attempt: int) -> bytes:
        """The body for a later attempt, where the layout tells the attempt."""

    def afresh(self, body: bytes, payload: bytes | None = None) -> bytes:
        """The same job as its first attempt, with no deadline, and with other arguments if they are given.

        Raises Unparsable or FromTheFuture.
        """


class Native:
    """The versioned envelope of `goatherd.model.envelope`."""

    name: FormatName = "native"

    def encode(self, stamp: Stamp, payload: bytes) -> tuple[bytes, Headers]:
        deadline = msgspec.UNSET if stamp.deadline is None else envelope.moment(stamp.deadline)
        body = envelope.encode(
            Envelope(
                task_id=stamp.job_id,
                step=stamp.task,
                trace_id=stamp.trace_id,
                created_at=envelope.moment(stamp.created),
                deadline=deadline,
                payload=msgspec.Raw(payload),
            )
        )
        return body, {}

    def decode(self, delivery: Delivery) -> Work:
        message = delivery.message
        read = envelope.decode(message.body)
        job_id = read.task_id or message.id or new_id()
        return Work(
            job_id=job_id,
            task=read.step,
            payload=read.payload,
            failures=failures_of(message.headers, read.attempt - 1),
            trace_id=read.trace_id or job_id,
            created=delivery.accepted if read.created_at is None else timestamp(read.created_at),
            deadline=timestamp(read.deadline) if read.deadline else message.expires,
            retries=retries_of(message.headers),
        )

    def for_attempt(self, body: bytes, attempt: int) -> bytes:
        return _changed(body, {"attempt": attempt})

    def afresh(self, body: bytes, payload: bytes | None = None) -> bytes:
        envelope.decode(body)
        return _changed(body, {"attempt": 1, **_if_given("payload", payload)}, without="deadline")


class Plain:
    """The body is the JSON object of the arguments, or the one positional-only argument itself."""

    name: FormatName = "plain"

    def encode(self, stamp: Stamp, payload: bytes) -> tuple[bytes, Headers]:
        return payload, {}

    def decode(self, delivery: Delivery) -> Work:
        message = delivery.message
        payload = _read(message.body, msgspec.Raw, "JSON")
        job_id = message.id or new_id()
        return Work(
            job_id=job_id,
            task=None,
            payload=payload,
            failures=failures_of(message.headers),
            trace_id=job_id,
            created=delivery.accepted,
            deadline=message.expires,
            retries=retries_of(message.headers),
        )

    def for_attempt(self, body: bytes, attempt: int) -> bytes:
        return body

    def afresh(self, body: bytes, payload: bytes | None = None) -> bytes:
        return body if payload is None else payload


class _TaskiqBody(msgspec.Struct, frozen=True, kw_only=True):
    task_id: str = ""
    task_name: str = ""
    labels: Mapping[str, Any] = {}
    labels_types: Mapping[str, int] | None = None
    args: tuple[msgspec.Raw, ...] = ()
    kwargs: msgspec.Raw = msgspec.Raw(b"{}")


class Taskiq:
    """The layout that TaskIQ's JSON formatter writes; its producers and workers can be swapped with ours."""

    name: FormatName = "taskiq"

    def encode(self, stamp: Stamp, payload: bytes) -> tuple[bytes, Headers]:
        body = _TaskiqBody(task_id=stamp.job_id, task_name=stamp.task, labels_types={}, kwargs=msgspec.Raw(payload))
        return msgspec.json.encode(body), {"task_id": stamp.job_id, "task_name": stamp.task}

    def decode(self, delivery: Delivery) -> Work:
        message = delivery.message
        read = _read(message.body, _TaskiqBody, "a TaskIQ message")
        task = read.task_name or str(message.headers.get("task_name", ""))
        if not task:
            raise Unparsable("not a TaskIQ message: neither its body nor its headers name a task")
        job_id = read.task_id or str(message.headers.get("task_id", "")) or message.id or new_id()
        return Work(
            job_id=job_id,
            task=task,
            payload=read.kwargs,
            positional=read.args,
            failures=failures_of(message.headers),
            trace_id=job_id,
            created=delivery.accepted,
            deadline=message.expires,
            retries=retries_of(message.headers),
        )

    def for_attempt(self, body: bytes, attempt: int) -> bytes:
        return body

    def afresh(self, body: bytes, payload: bytes | None = None) -> bytes:
        _read(body, _TaskiqBody, "a TaskIQ message")
        return body if payload is None else _changed(body, {"args": (), **_if_given("kwargs", payload)})


FORMATS: Mapping[FormatName, Format] = {"native": Native(), "plain": Plain(), "taskiq": Taskiq()}


def failures_of(headers: Headers, otherwise: int = 0) -> int:
    """How many attempts failed before."""
    return count_of(headers, FAILURES, otherwise)


def retries_of(headers: Headers) -> int | None:
    """How often it is tried again, where that travels with it."""
    return count_of(headers, RETRIES) if headers and RETRIES in headers else None


def _read(body: bytes, kind: type[_Read], what: str) -> _Read:
    try:
        str(body, "utf-8")  # the decoder passes over what it does not know, broken or not
        return msgspec.json.decode(body, type=kind)
    except BROKEN as error:
        raise Unparsable(f"not {what}: {error}") from error


def _changed(body: bytes, members: Mapping[str, Any], without: str = "") -> bytes:
    try:
        return with_members(body, members, without)
    except BROKEN as error:
        raise Unparsable(f"cannot be changed: {error}") from error


def _if_given(name: str, payload: bytes | None) -> Mapping[str, msgspec.Raw]:
    return {} if payload is None else {name: msgspec.Raw(payload)}
