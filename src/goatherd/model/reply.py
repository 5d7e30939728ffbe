"""The answer to a call on the wire.

    {"v": 1, "task_id": "0199…", "result": 42}
    {"v": 1, "task_id": "0199…", "error": {"type": "ValueError", "message": "no such user", "traceback": "…"}}

`v` and `task_id` may be left out by other programs: an answer is known by the correlation id beside it. On a queue in
plain format the answer is the bare result, and a failure is not answered.
"""

import msgspec

from goatherd.errors import JobFailed
from goatherd.model.envelope import VERSION
from goatherd.model.signature import Signature


class RemoteError(msgspec.Struct, frozen=True, kw_only=True):
    """What the task raised."""

    type: str
    message: str
    traceback: str = ""


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """One answer."""

    v: int = VERSION
    task_id: str = ""
    result: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    error: RemoteError | msgspec.UnsetType | None = msgspec.UNSET


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Reply).decode


def of_result(job_id: str, result: bytes) -> bytes:
    """The answer of a job that is done; `result` is JSON."""
    return _encode(Reply(task_id=job_id, result=msgspec.Raw(result)))


def of_failure(job_id: str, error_type: str, message: str, traceback: str) -> bytes:
    """The answer of a job that failed."""
    return _encode(Reply(task_id=job_id, error=RemoteError(type=error_type, message=message, traceback=traceback)))


def read(job_id: str, body: bytes, signature: Signature, *, bare: bool) -> object:
    """The result in an answer; raises JobFailed with what the other side raised, or if nobody can read it."""
    try:
        return signature.decode_result(body if bare else _result(job_id, body))
    except JobFailed:
        raise
    except Exception as error:  # the user's own types may raise anything while they are read
        told = f"the answer is not what {signature.task!r} returns: {error}"
        raise JobFailed(job_id, "InvalidReply", told) from error


def _result(job_id: str, body: bytes) -> bytes | msgspec.Raw:
    reply = _decode(body)
    if reply.v > VERSION:
        raise ValueError(f"it is of version {reply.v}, but this program reads up to {VERSION}; upgrade it")
    if reply.error:
        raise JobFailed(job_id, reply.error.type, reply.error.message, reply.error.traceback)
    if reply.result is msgspec.UNSET:
        raise ValueError("it has neither a result nor an error")
    return reply.result
