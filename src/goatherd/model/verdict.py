"""What becomes of a job after an attempt: pure decisions, carried out by the engine."""

import traceback
from dataclasses import dataclass, field
from typing import TypeAlias

from goatherd.errors import GiveUp, RetryLater
from goatherd.model.dead_letter import Burial, Reason
from goatherd.model.formats import Work
from goatherd.model.message import FAILURES, REFUSALS, REFUSED_SINCE, Header, Headers
from goatherd.model.retry import Retry

#: Seconds before a job that this worker does not know is offered again: the first time, and at most.
FIRST_OFFER, LONGEST_OFFER = 1.0, 60.0


@dataclass(frozen=True, kw_only=True)
class Done:
    """It succeeded."""

    result: object


@dataclass(frozen=True, kw_only=True)
class Again:
    """It is to be delivered again after a while."""

    delay: float
    #: Failed attempts so far.
    failures: int
    why: str
    #: Headers to change beside the count of failures.
    headers: Headers = field(default_factory=dict)
    #: Whether no attempt was made, because this worker does not know the task or its arguments yet.
    refused: bool = False


@dataclass(frozen=True, kw_only=True)
class Dead:
    """It will not be tried again by itself."""

    burial: Burial


@dataclass(frozen=True, kw_only=True)
class HandedBack:
    """This worker stops; others may have it at once."""


Verdict: TypeAlias = Done | Again | Dead | HandedBack


@dataclass(frozen=True, kw_only=True)
class Fault:
    """An error as it is told to people: also one that happened in another process."""

    error_type: str
    message: str
    traceback: str
    #: Whether the task's rule says that it may be gone at the next attempt.
    passes: bool
    #: Set by RetryLater: when, and whether it counts as an attempt.
    after: float | None = None
    counts: bool = True
    gave_up: bool = False

    @classmethod
    def of(cls, error: Exception, retry: Retry) -> "Fault":
        """Describe an error that the task's code raised."""
        later = error if isinstance(error, RetryLater) else None
        return cls(
            error_type=type(error).__name__,
            message=str(error),
            traceback="".join(traceback.format_exception(error)),
            passes=later is not None or retry.passes(error),
            after=later.after if later else None,
            counts=later.count if later else True,
            gave_up=isinstance(error, GiveUp),
        )


def after_fault(fault: Fault, work: Work, retry: Retry, now: float) -> Verdict:
    """What becomes of a job whose code failed."""
    failures = work.failures + 1 if fault.counts else work.failures
    wait = retry.delay(failures) if fault.passes and fault.counts else None
    if fault.after is not None and (wait is not None or not fault.counts):
        wait = fault.after
    if wait is None:
        reason: Reason = "gave_up" if fault.gave_up else "failed"
        return dead(reason, fault.error_type, fault.message, failures, now, fault.traceback)
    return Again(delay=wait, failures=failures, why=f"{fault.error_type}: {fault.message}")


def refused(reason: Reason, text: str, headers: Headers, failures: int, now: float, grace: float) -> Verdict:
    """What becomes of a job that this worker does not know: a newer worker may, so it waits for a while."""
    since = _number(headers.get(REFUSED_SINCE), now)
    offers = int(_number(headers.get(REFUSALS), 0))
    if now - since >= grace:
        return dead(reason, "Refused", f"{text} (offered for {now - since:.0f} s, {offers + 1} times)", failures, now)
    delay = min(LONGEST_OFFER, FIRST_OFFER * 2**offers, max(0.0, grace - (now - since)))
    marks: dict[str, Header] = {REFUSED_SINCE: since, REFUSALS: offers + 1}
    return Again(delay=delay, failures=failures, why=text, headers=marks, refused=True)


def dead(reason: Reason, error_type: str, message: str, attempts: int, now: float, trace: str = "") -> Dead:
    """A burial with all that is known."""
    return Dead(
        burial=Burial(
            reason=reason, error_type=error_type, message=message, traceback=trace, attempts=attempts, failed_at=now
        )
    )


def headers_for(again: Again, headers: Headers) -> Headers:
    """The headers of the next delivery; a job that was known at last starts its refusals anew."""
    kept = {name: value for name, value in headers.items() if name not in (REFUSED_SINCE, REFUSALS)}
    if again.failures:
        kept[FAILURES] = again.failures
    return kept | dict(again.headers)


def _number(value: object, otherwise: float) -> float:
    return float(value) if isinstance(value, int | float) else otherwise
