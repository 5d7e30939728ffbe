"""How a job looks on a queue: our own envelope, a bare JSON body, or TaskIQ's layout."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from goatherd.model import envelope
from goatherd.model.envelope import Envelope, Unparsable
from goatherd.model.ids import new_id
from goatherd.model.message import FAILURES, Delivery, Headers

FormatName: TypeAlias = Literal["native", "plain", "taskiq"]


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
    #: None where the queue, not the message, says which task it is.
    task: str | None
    payload: msgspec.Raw
    #: Arguments by position, which only TaskIQ's layout has.
    positional: tuple[msgspec.Raw, ...] = ()
    failures: int = 0
    trace_id: str = ""
    created: float
    deadline: float | None = None

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

    def with_arguments(self, body: bytes, payload: bytes) -> bytes:
        """The same job with other arguments, as its first attempt; raises Unparsable or FromTheFuture."""


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
        return Work(
            job_id=read.task_id,
            task=read.step,
            payload=read.payload,
            failures=failures_of(message.headers, read.attempt - 1),
            trace_id=read.trace_id or read.task_id,
            created=delivery.accepted if read.created_at is None else read.created_at.timestamp(),
            deadline=message.expires if read.deadline is msgspec.UNSET else read.deadline.timestamp(),
        )

    def for_attempt(self, body: bytes, attempt: int) -> bytes:
        return envelope.encode(msgspec.structs.replace(envelope.decode(body), attempt=attempt))

    def with_arguments(self, body: bytes, payload: bytes) -> bytes:
        changed = msgspec.structs.replace(envelope.decode(body), attempt=1, payload=msgspec.Raw(payload))
        return envelope.encode(changed)


class Plain:
    """The body is the JSON object of the arguments, or the one positional-only argument itself."""

    name: FormatName = "plain"

    def encode(self, stamp: Stamp, payload: bytes) -> tuple[bytes, Headers]:
        return payload, {}

    def decode(self, delivery: Delivery) -> Work:
        message = delivery.message
        payload = _read(lambda: msgspec.json.decode(message.body, type=msgspec.Raw), "JSON")
        return Work(
            job_id=message.id or new_id(),
            task=None,
            payload=payload,
            failures=failures_of(message.headers),
            trace_id=message.id,
            created=delivery.accepted,
            deadline=message.expires,
        )

    def for_attempt(self, body: bytes, attempt: int) -> bytes:
        return body

    def with_arguments(self, body: bytes, payload: bytes) -> bytes:
        return payload


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
        read = _read(lambda: msgspec.json.decode(message.body, type=_TaskiqBody), "a TaskIQ message")
        task = read.task_name or str(message.headers.get("task_name", ""))
        if not task:
            raise Unparsable("not a TaskIQ message: neither its body nor its headers name a task")
        job_id = read.task_id or str(message.headers.get("task_id", "")) or message.id
        return Work(
            job_id=job_id or new_id(),
            task=task,
            payload=read.kwargs,
            positional=read.args,
            failures=failures_of(message.headers),
            trace_id=job_id,
            created=delivery.accepted,
            deadline=message.expires,
        )

    def for_attempt(self, body: bytes, attempt: int) -> bytes:
        return body

    def with_arguments(self, body: bytes, payload: bytes) -> bytes:
        read: _TaskiqBody = _read(lambda: msgspec.json.decode(body, type=_TaskiqBody), "a TaskIQ message")
        return msgspec.json.encode(msgspec.structs.replace(read, args=(), kwargs=msgspec.Raw(payload)))


FORMATS: Mapping[FormatName, Format] = {"native": Native(), "plain": Plain(), "taskiq": Taskiq()}


def failures_of(headers: Headers, otherwise: int = 0) -> int:
    """How many attempts failed before; a stranger's header that is no number counts as none."""
    told = headers.get(FAILURES, otherwise)
    return int(told) if isinstance(told, int | float) and told >= 0 else 0


def _read(decode: Callable[[], Any], what: str) -> Any:
    try:
        return decode()
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Unparsable(f"not {what}: {error}") from error
