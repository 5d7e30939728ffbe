"""The native wire format, version 1: a job as a JSON object that any program can read and write.

    {"v": 1, "task_id": "0199…", "step": "send_mail", "attempt": 1, "trace_id": "0199…",
     "created_at": "2026-01-31T09:00:00Z", "deadline": "2026-01-31T09:01:40Z", "payload": {"to": "a@b.c"}}

`task_id` is the job's id, `step` its task, `payload` the arguments by name. `deadline` is left out when there is
none; `v`, `attempt`, `trace_id` and `created_at` may be left out by other programs. A time without a zone is taken
as UTC. Members that are unknown here are ignored, and kept when the job is tried again.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

VERSION = 1

#: What reading a stranger's bytes may raise: broken JSON, wrong types, broken text, or nesting without end.
BROKEN = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class Unparsable(Exception):
    """A body that is no job in the format of its queue."""


class FromTheFuture(Exception):
    """An envelope of a version that this program does not read yet."""


class Envelope(msgspec.Struct, frozen=True, kw_only=True):
    """One job on the wire."""

    v: int = VERSION
    task_id: str
    step: str
    attempt: int = 1
    trace_id: str = ""
    created_at: datetime | None = None
    deadline: datetime | msgspec.UnsetType | None = msgspec.UNSET
    payload: msgspec.Raw


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Envelope).decode


def encode(envelope: Envelope) -> bytes:
    """The envelope as bytes."""
    return _encode(envelope)


def decode(body: bytes) -> Envelope:
    """Read an envelope; raises Unparsable or FromTheFuture."""
    try:
        str(body, "utf-8")  # the decoder passes over what it does not know, broken or not
        envelope = _decode(body)
    except BROKEN as error:
        # A newer version may have changed a field's type, so its version is looked for before it is called broken.
        version = _version_of(body)
        if version is not None and version > VERSION:
            raise FromTheFuture(_newer(version)) from error
        raise Unparsable(f"not a job envelope: {error}") from error
    if envelope.v > VERSION:
        raise FromTheFuture(_newer(envelope.v))
    return envelope


def with_members(body: bytes, members: Mapping[str, Any], without: str = "") -> bytes:
    """A JSON object with other values for some members; what else it has, known here or not, stays as it is."""
    kept = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    kept.pop(without, None)
    return msgspec.json.encode({**kept, **members})


def moment(timestamp: float) -> datetime:
    """Seconds since the epoch as the aware time that goes onto the wire, or the nearest that can be written."""
    return datetime.fromtimestamp(min(max(timestamp, _FIRST), _LAST), UTC)


def timestamp(moment: datetime) -> float:
    """A time from the wire as seconds since the epoch."""
    return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp()


_FIRST = datetime.min.replace(tzinfo=UTC).timestamp()
_LAST = datetime.max.replace(tzinfo=UTC, microsecond=0).timestamp()


class _OnlyVersion(msgspec.Struct):
    v: int


def _version_of(body: bytes) -> int | None:
    try:
        return msgspec.json.decode(body, type=_OnlyVersion).v
    except BROKEN:
        return None


def _newer(version: int) -> str:
    return f"envelope of version {version}, but this program reads up to {VERSION}; upgrade this worker"
