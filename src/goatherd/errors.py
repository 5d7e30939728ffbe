"""The error tree. Every text says what happened, to what, and what to do.

GoatherdError
├── DefinitionError    SettingsError    NotOpen    MissingExtra     the program or its settings are wrong
├── InvalidArguments                                                also a TypeError
├── Unavailable                                                     not accepted: safe to try again
│   └── Refused                                                     a limit is reached
├── CallTimeout                                                     accepted, no answer; also a TimeoutError
├── JobFailed                                                       the task raised
│   ├── JobCancelled   └── JobExpired                               it was not let come to its end
├── UnknownJob                                                      no such job or dead letter
├── UnknownStep                                                     the pipeline has no such step
├── Fenced                                                          this attempt lost its lease, or comes second
├── TopologyMismatch                                                the broker differs from the definition
└── RetryLater    GiveUp                                            raised by tasks
"""

import math
from collections.abc import Mapping, Sequence
from datetime import timedelta


class GoatherdError(Exception):
    """Every error that Goatherd raises on purpose."""


class DefinitionError(GoatherdError):
    """A task, key, pipeline or schedule is declared wrongly; raised at import or at start, never later."""


class SettingsError(GoatherdError):
    """Settings are missing or wrong; lists every mistake at once."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        heading = "A setting is wrong" if len(self.problems) == 1 else f"{len(self.problems)} settings are wrong"
        super().__init__(heading + ":\n" + "\n".join(f"  - {problem}" for problem in self.problems))


class NotOpen(GoatherdError):
    """A verb was used before `async with app:`; names the ways to open the app."""

    def __init__(self, app: str) -> None:
        super().__init__(
            f"The app {app!r} is not open on this event loop, so nothing was sent. Open it with "
            f"`async with app:` around the code that sends, or with `async with app.serve('worker'):` "
            f"to work here too; in a test use `async with testing(app):`."
        )


class MissingExtra(GoatherdError):
    """A setting needs an optional dependency; names the pip command."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional dependency. Install it with: pip install 'goatherd[{extra}]'")


class InvalidArguments(GoatherdError, TypeError):
    """The arguments do not fit the task's signature; nothing was sent."""

    def __init__(self, task: str, problems: Mapping[str, str]) -> None:
        self.task = task
        self.problems = dict(problems)
        told = "; ".join(f"{name}: {problem}" for name, problem in self.problems.items())
        super().__init__(f"The arguments do not fit task {task!r}: {told}. Nothing was sent.")


class Unavailable(GoatherdError):
    """Not accepted: broker away, blocked, or nobody listens. Safe to try again."""

    http_status: int = 503

    def __init__(self, message: str, *, retry_after: float = 1.0, jobs: Sequence[str] = ()) -> None:
        self.retry_after = retry_after
        self.jobs = tuple(jobs)
        super().__init__(message)


class Refused(Unavailable):
    """Not accepted because a limit is reached: lane_limit, calls in flight, queue length."""

    def __init__(self, message: str, *, limit: str, retry_after: float = 1.0, jobs: Sequence[str] = ()) -> None:
        self.limit = limit
        super().__init__(message, retry_after=retry_after, jobs=jobs)


class CallTimeout(GoatherdError, TimeoutError):
    """Accepted, but no answer by the deadline."""

    http_status: int = 504

    def __init__(self, job_id: str, message: str) -> None:
        self.job_id = job_id
        super().__init__(message)


class JobFailed(GoatherdError):
    """The task raised; carries the remote error's type, message and traceback."""

    def __init__(self, job_id: str, error_type: str, message: str, traceback: str = "") -> None:
        self.job_id, self.error_type, self.message, self.traceback = job_id, error_type, message, traceback
        where = f"\n\nWhere it happened:\n{traceback}" if traceback else ""
        super().__init__(f"Job {job_id} failed with {error_type}: {message}{where}")


class JobCancelled(JobFailed):
    """It was cancelled before it had ended."""

    def __str__(self) -> str:
        return f"Job {self.job_id} was cancelled: {self.message}"


class JobExpired(JobFailed):
    """Its deadline passed before it had ended."""

    def __str__(self) -> str:
        return f"Job {self.job_id} expired: {self.message}"


class UnknownJob(GoatherdError):
    """No such job or dead letter, or it is past its retention."""

    def __init__(self, job_id: str, message: str | None = None) -> None:
        self.job_id = job_id
        super().__init__(message or f"No job {job_id!r} is known here: the id is wrong or its records have expired.")

    @classmethod
    def letter(cls, letter_id: str) -> "UnknownJob":
        """For a dead letter that is not there."""
        return cls(
            letter_id,
            f"There is no dead letter {letter_id!r}: it was replayed or discarded, or the id is wrong. "
            f"`goatherd dead list` shows those that are there.",
        )


class UnknownStep(GoatherdError):
    """The pipeline has no step of that name; lists the steps."""

    def __init__(self, pipeline: str, step: str, steps: Sequence[str]) -> None:
        self.pipeline, self.step, self.steps = pipeline, step, tuple(steps)
        super().__init__(
            f"The pipeline {pipeline!r} has no step {step!r}, so nothing was changed. Its steps: {', '.join(steps)}."
        )


class Fenced(GoatherdError):
    """This attempt lost its lease, or its job had its effect before: roll back."""

    def __init__(self, message: str, *, applied: bool = False) -> None:
        #: Whether the job's effect has been made, so that only its lane has to go on.
        self.applied = applied
        super().__init__(message)


class TopologyMismatch(GoatherdError):
    """The broker's queue or exchange differs from the definition."""

    def __init__(
        self, kind: str, name: str, argument: str, wanted: object, found: object, *, message: str | None = None
    ) -> None:
        """`message` tells of all differences, where there are more than this one."""
        self.kind, self.name, self.argument, self.wanted, self.found = kind, name, argument, wanted, found
        super().__init__(
            message
            or f"The {kind} {name!r} exists with {argument} = {found!r}, but this program wants {wanted!r}. "
            f"Make the two agree: change the declaration here, or delete or migrate the {kind}."
        )


class RetryLater(GoatherdError):
    """Raise in a task: put this attempt back and try again after so many seconds."""

    def __init__(
        self, after: float | timedelta, reason: str = "the task asked to be tried later", *, count: bool = True
    ) -> None:
        self.after = after.total_seconds() if isinstance(after, timedelta) else float(after)
        if not 0 <= self.after < math.inf:
            raise ValueError(f"RetryLater(after={after!r}) is not a time to come; give 0 or more seconds.")
        self.reason = reason
        self.count = count
        super().__init__(reason)


class GiveUp(GoatherdError):
    """Raise in a task: no retry helps; make it a dead letter now."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)
