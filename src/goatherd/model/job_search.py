"""Which jobs of the history somebody looks for, and what is found of them."""

from collections.abc import Sequence

import msgspec

from goatherd.model.event import WorkKind
from goatherd.model.job_state import Status

#: Jobs on one page at most.
LARGEST_PAGE = 500


class JobFilter(msgspec.Struct, frozen=True, kw_only=True):
    """What is looked for; None and an empty text mean any."""

    #: Words, all of which must be there: in the task, the key, the arguments, the error or its message. One of three
    #: or more characters may be the beginning of a longer one. A text without spaces may be an id instead: the whole,
    #: its first 8 or more, or its last 6 or more characters.
    text: str = ""
    task: str | None = None
    queue: str | None = None
    status: Status | None = None
    #: The full key of a lane.
    key: str | None = None
    kind: WorkKind | None = None
    #: When it was accepted, in seconds since the epoch: not before, and before.
    since: float | None = None
    until: float | None = None


class JobPlace(msgspec.Struct, frozen=True):
    """Where a page ended, so that the next goes on behind it; `str` of it is for links."""

    #: The store's own number of the last job of that page.
    number: int
    job: str = ""

    def __str__(self) -> str:
        return f"{self.number}-{self.job}"

    @classmethod
    def parse(cls, text: str) -> "JobPlace":
        """The place that a link brought back; raises ValueError."""
        number, dash, job = text.partition("-")
        if not dash or not number.isascii() or not number.isdigit() or len(number) > 19 or int(number) >> 63:
            raise ValueError(f"{text!r} is no place among jobs; begin with the newest")
        return cls(int(number), job)


class FoundJob(msgspec.Struct, frozen=True, kw_only=True):
    """A job as lists show it; its result and traceback are told by `JobHistory.find`."""

    job: str
    task: str
    queue: str
    key: str
    #: JSON without secrets; empty if it is not known.
    arguments: bytes
    kind: WorkKind
    status: Status
    attempt: int
    stage: str
    progress: float | None
    error: str
    message: str
    #: When it was first heard of, and when it last was; all times are seconds since the epoch.
    created: float
    at: float
    queued_at: float | None
    started_at: float | None
    ended_at: float | None


class JobPage(msgspec.Struct, frozen=True, kw_only=True):
    """Some of the jobs that were looked for, the newest first."""

    jobs: Sequence[FoundJob]
    #: Where to go on; None if there are no more.
    next: JobPlace | None = None
