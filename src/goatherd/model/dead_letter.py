"""A job that will not be tried again by itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

import msgspec

from goatherd.model.message import Message

Reason: TypeAlias = Literal[
    "failed", "gave_up", "expired", "crashed", "invalid", "unknown_task", "unparsable", "rejected"
]


class Burial(msgspec.Struct, frozen=True, kw_only=True):
    """Why a message is given up."""

    reason: Reason
    error_type: str
    message: str
    traceback: str = ""
    attempts: int
    failed_at: float


class StoredLetter(msgspec.Struct, frozen=True, kw_only=True):
    """A dead letter as the broker keeps it: the original message and why it was given up."""

    id: str
    original: Message
    accepted: float
    burial: Burial


class LetterFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which dead letters are meant; everything that is None matches all."""

    queue: str | None = None
    task: str | None = None
    #: A part of the error's type or message.
    error: str | None = None
    #: Only letters that failed at or before this time.
    failed_before: float | None = None

    def matches(self, letter: StoredLetter) -> bool:
        """Whether a letter is meant, for stores that cannot ask themselves."""
        burial, original = letter.burial, letter.original
        return (
            (self.queue is None or original.queue == self.queue)
            and (self.task is None or original.task == self.task)
            and (self.error is None or self.error.lower() in f"{burial.error_type} {burial.message}".lower())
            and (self.failed_before is None or burial.failed_at <= self.failed_before)
        )


@dataclass(frozen=True, kw_only=True)
class DeadLetter:
    """A job that will not be tried again by itself, with all that is needed to replay it."""

    id: str
    job_id: str
    task: str | None
    queue: str
    key: str | None
    arguments: Mapping[str, object] | None
    body: bytes
    reason: Reason
    error_type: str
    message: str
    traceback: str
    attempts: int
    created_at: datetime
    failed_at: datetime
