"""Dead letters, plain: as lists show them, and with all that is known of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

from goatherd.desk.letter_groups import LONGEST_MESSAGE, LetterGroup, group_of
from goatherd.model.dead_letter import DeadLetter, LetterFilter, Reason, StoredLetter
from goatherd.model.redaction import redacted, shown_body

if TYPE_CHECKING:
    from goatherd.app import Goatherd

#: Characters of the arguments that a list shows.
LONGEST_ARGUMENTS = 300
#: Headers in which Celery tells the arguments once more, as text in which no secret can be found.
RETOLD = ("argsrepr", "kwargsrepr")

#: What each reason means.
REASONS: Mapping[Reason, str] = {
    "failed": "its last attempt failed",
    "gave_up": "the task gave up",
    "expired": "its deadline, or its queue's time to live, passed",
    "crashed": "the processes that ran it died",
    "invalid": "its arguments do not fit the task",
    "unknown_task": "no worker knows its task",
    "unparsable": "its bytes cannot be read",
    "rejected": "its queue was full, or it was taken out of its lane",
}


@dataclass(frozen=True, kw_only=True)
class LetterLine:
    """A dead letter as lists show it."""

    id: str
    job_id: str
    task: str | None
    queue: str
    #: The lane that it came from, as people see it.
    key: str | None
    #: JSON without secrets, cut if it is long; None if they cannot be read.
    arguments: str | None
    reason: Reason
    error_type: str
    message: str
    attempts: int
    created_at: datetime
    failed_at: datetime
    #: The id of the group to which it belongs.
    group: str


@dataclass(frozen=True, kw_only=True)
class LetterFacts:
    """All about one dead letter."""

    id: str
    job_id: str
    task: str | None
    queue: str
    key: str | None
    #: By name, without secrets; None if they cannot be read.
    arguments: Mapping[str, Any] | None
    #: The message as it was on the queue, without secrets, as far as it is text.
    body: str
    headers: Mapping[str, Any]
    reason: Reason
    #: What the reason means.
    why: str
    error_type: str
    message: str
    traceback: str
    attempts: int
    created_at: datetime
    failed_at: datetime
    group: str
    #: Whether the app has its task, so that other arguments can be checked.
    in_code: bool


@dataclass(frozen=True, kw_only=True)
class LetterChoice:
    """Which dead letters are meant; what is None matches all."""

    queue: str | None = None
    task: str | None = None
    #: A part of the error's type or message.
    error: str | None = None
    #: The id of a group.
    group: str | None = None
    #: Only letters that failed at or before this time: what came later, nobody has seen.
    failed_before: datetime | None = None

    def as_filter(self) -> LetterFilter:
        """What a store can choose by; the rest is for `matches`."""
        # A datetime knows no less than microseconds, so that what it stands for may be a little later.
        before = None if self.failed_before is None else self.failed_before.timestamp() + 1e-6
        return LetterFilter(queue=self.queue, error=self.error, failed_before=before)

    def matches(self, letter: LetterLine) -> bool:
        """Whether a letter is meant."""
        return (
            (self.queue is None or letter.queue == self.queue)
            and (self.task is None or letter.task == self.task)
            and (self.error is None or self.error.lower() in f"{letter.error_type} {letter.message}".lower())
            and (self.group is None or letter.group == self.group)
            and (self.failed_before is None or letter.failed_at <= self.failed_before)
        )


@dataclass(frozen=True, kw_only=True)
class LetterGroups:
    """What died, by what it died of."""

    groups: tuple[LetterGroup, ...]
    #: Letters that were seen, of those that are meant.
    count: int
    #: Whether all were seen; otherwise these are the oldest.
    complete: bool
    #: When they were seen.
    at: datetime


@dataclass(frozen=True, kw_only=True)
class LetterPage:
    """Some of the letters that are meant, the newest first."""

    letters: tuple[LetterLine, ...]
    #: How many are meant, of those that were seen.
    count: int
    complete: bool
    at: datetime


def line_of(app: Goatherd, letter: DeadLetter) -> LetterLine:
    """A letter as lists show it."""
    return LetterLine(
        id=letter.id,
        job_id=letter.job_id,
        task=letter.task,
        queue=letter.queue,
        key=letter.key,
        arguments=_shown(letter.arguments, app.settings.redact),
        reason=letter.reason,
        error_type=letter.error_type,
        message=letter.message[:LONGEST_MESSAGE],
        attempts=letter.attempts,
        created_at=letter.created_at,
        failed_at=letter.failed_at,
        group=group_of(letter),
    )


def facts_of(app: Goatherd, letter: DeadLetter, stored: StoredLetter) -> LetterFacts:
    """All about a letter."""
    hidden = app.settings.redact
    return LetterFacts(
        id=letter.id,
        job_id=letter.job_id,
        task=letter.task,
        queue=letter.queue,
        key=letter.key,
        arguments=None if letter.arguments is None else redacted(letter.arguments, hidden),
        body=shown_body(letter.body, hidden),
        headers=redacted(dict(stored.original.headers), (*hidden, *RETOLD)),
        reason=letter.reason,
        why=REASONS[letter.reason],
        error_type=letter.error_type,
        message=letter.message,
        traceback=letter.traceback,
        attempts=letter.attempts,
        created_at=letter.created_at,
        failed_at=letter.failed_at,
        group=group_of(letter),
        in_code=letter.task in app.tasks,
    )


def _shown(arguments: Mapping[str, object] | None, hidden: tuple[str, ...]) -> str | None:
    if arguments is None:
        return None
    told = msgspec.json.encode(redacted(arguments, hidden)).decode()
    return told if len(told) <= LONGEST_ARGUMENTS else f"{told[:LONGEST_ARGUMENTS]}…"
