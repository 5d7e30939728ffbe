"""Jobs of which there is to be one: known by an id that the user chose, or by their task and arguments."""

import hashlib
from typing import Any, Literal, TypeAlias

import msgspec

from goatherd.errors import DefinitionError
from goatherd.model.json_types import to_plain
from goatherd.model.seconds import Seconds, seconds
from goatherd.model.signature import Signature

#: As users write it: for so long after it was sent, or until it has ended.
UniqueOption: TypeAlias = Seconds | Literal["until_done"]
#: As it is kept: None means until it has ended.
Span: TypeAlias = float | None

UNTIL_DONE: Literal["until_done"] = "until_done"
#: Seconds after which a job that should have ended long ago, or was lost with its broker, no longer keeps others out.
LAST_RESORT = 86_400.0
#: Seconds beyond a job's deadline for which it may still be on its way to its end.
AFTER_DEADLINE = 60.0

#: Sets and mappings have no order of their own.
_encode = msgspec.json.Encoder(enc_hook=to_plain, order="sorted").encode


class Unique(msgspec.Struct, frozen=True, kw_only=True):
    """That no second job with the same task and arguments is to be made."""

    #: What both have in common.
    key: str
    #: Seconds for which it holds; None means until the job has ended.
    span: Span = None

    def seconds_for(self, delay: float, deadline: float | None) -> float:
        """Seconds from now after which the key is free, whatever became of its job."""
        if self.span is not None:
            return self.span
        if deadline is not None:
            return max(delay, deadline) + AFTER_DEADLINE
        return delay + LAST_RESORT


class UniqueClaim(msgspec.Struct, frozen=True, kw_only=True):
    """A job that is to be the only one of its key."""

    key: str
    job: str
    #: How long the key is the job's once that is sent.
    seconds: float


class UniqueAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a claim.

    - `ours`: the key is the job's.
    - `taken`: it is that of another job, which was sent.
    - `pending`: somebody else is sending a job of that key right now; ask again.
    """

    state: Literal["ours", "taken", "pending"]
    #: Whose key it is.
    job: str


def checked_unique(value: UniqueOption, whose: str) -> float | Literal["until_done"]:
    """What the user wrote, in seconds; raises DefinitionError."""
    if value == UNTIL_DONE:
        return UNTIL_DONE
    try:
        span = seconds(value)
    except ValueError as error:
        raise DefinitionError(f"{whose} has unique={value!r}; give seconds, a timedelta, or 'until_done'.") from error
    if span <= 0:
        raise DefinitionError(f"{whose} has unique={value!r}; give more than 0 seconds.")
    return span


def unique_of(app: str, task: str, signature: Signature, payload: bytes, wanted: Any) -> Unique:
    """What tells a job from all that have another task or other arguments.

    Arguments are compared as the function gets them, so it does not matter how they were written, or whether one that
    has a default was left out.
    """
    arguments = signature.complete(signature.read_back(payload))
    canonical = _encode([app, task, arguments.positional, arguments.named])
    key = f"{app}/{task}/{hashlib.sha256(canonical).hexdigest()[:40]}"
    return Unique(key=key, span=None if wanted == UNTIL_DONE else wanted)


def key_of_id(app: str, id: str) -> str:
    """The key of a job whose id the user chose."""
    return f"{app}#{id}"
