"""What becomes of a job after an attempt: pure decisions, carried out by the engine."""

import math
import traceback
from asyncio import CancelledError
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from goatherd.errors import Fenced, GiveUp, RetryLater
from goatherd.model.dead_letter import Burial, Reason
from goatherd.model.formats import Work
from goatherd.model.message import FAILURES, NO_HEADERS, REFUSALS, REFUSED_SINCE, Header, Headers, count_of
from goatherd.model.retry import Retry

#: Seconds before a job that this worker does not know is offered again: the first time, and at most.
FIRST_OFFER, LONGEST_OFFER = 1.0, 60.0
#: Seconds before a job is tried again after a fault of our own, and how often it is.
AFTER_OUR_FAULT, MOST_OF_OUR_FAULTS = 10.0, 3

_ENGINE = str(Path(__file__).parents[1] / "engine")


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """It succeeded."""

    result: object
    #: Why the result is not known, where the effect was made by an attempt that did not come to its end.
    lost: str = ""


class Again(msgspec.Struct, frozen=True, kw_only=True):
    """It is to be delivered again after a while."""

    delay: float
    #: Failed attempts so far.
    failures: int
    why: str
    #: Headers to change beside the count of failures.
    headers: Headers = NO_HEADERS
    #: Whether no attempt was made, because this worker does not know the task or its arguments yet.
    refused: bool = False


class Dead(msgspec.Struct, frozen=True, kw_only=True):
    """It will not be tried again by itself."""

    burial: Burial


class HandedBack(msgspec.Struct, frozen=True, kw_only=True):
    """This worker stops; others may have it at once."""


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody waits for it, and this is what they get; nobody else hears of it."""

    outcome: Literal["done", "failed", "expired", "cancelled"]
    #: The answer on the wire; None if there is nobody to tell, or no way to say it.
    body: bytes | None = None
    why: str = ""


class Dropped(msgspec.Struct, frozen=True, kw_only=True):
    """It is not wanted any more, or had been done before; nobody else hears of it."""

    outcome: Literal["done", "cancelled"]
    why: str


_Fencing: TypeAlias = Literal["newer", "applied"]
Verdict: TypeAlias = Done | Again | Dead | HandedBack | Answered | Dropped


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
    #: Set by Fenced: whether a newer worker has its lane, or its effect was made before.
    fenced: _Fencing | None = None

    @classmethod
    def of(cls, raised: BaseException, retry: Retry) -> "Fault":
        """Describe an error that the task's code raised."""
        error = as_exception(raised)
        later = error if isinstance(error, RetryLater) else None
        fenced: _Fencing | None = ("applied" if error.applied else "newer") if isinstance(error, Fenced) else None
        return cls(
            error_type=type(error).__name__,
            message=_told(lambda: str(error)),
            traceback=_told(lambda: _traceback(error)),
            passes=later is not None or fenced == "newer" or retry.passes(error),
            after=later.after if later else None,
            counts=later.count if later else True,
            gave_up=isinstance(error, GiveUp),
            fenced=fenced,
        )


def _traceback(error: Exception) -> str:
    """The traceback from where the task's own code begins; the frames of the engine above it help nobody."""
    frame = error.__traceback__
    while frame is not None and frame.tb_frame.f_code.co_filename.startswith(_ENGINE):
        frame = frame.tb_next
    return "".join(traceback.format_exception(type(error), error, frame or error.__traceback__))


def as_exception(raised: BaseException) -> Exception:
    """What a task raised as an error of the task, also what would otherwise end the loop, the thread or the process."""
    match raised:
        case StopIteration():
            text = "the task raised StopIteration"
        case Exception():
            return raised
        case SystemExit():
            text = f"the task called sys.exit({raised})"
        case CancelledError():
            text = "the task was cancelled by its own code"
        case _:
            text = f"the task raised {type(raised).__name__}: {_told(lambda: str(raised))}"
    error = RuntimeError(text)
    error.__cause__ = raised
    return error


def after_fault(fault: Fault, work: Work, retry: Retry, now: float) -> Verdict:
    """What becomes of a job whose code failed."""
    if fault.fenced == "applied":
        # It is done, and only its lane has to know.
        return Done(result=None, lost=fault.message)
    failures = work.failures + 1 if fault.counts else work.failures
    wait = retry.delay(failures, retries=work.retries) if fault.passes and fault.counts else None
    if fault.after is not None and (wait is not None or not fault.counts):
        wait = fault.after
    if wait is None:
        reason: Reason = "gave_up" if fault.gave_up else "failed"
        return dead(reason, fault.error_type, fault.message, failures, now, fault.traceback)
    return Again(delay=wait, failures=failures, why=f"{fault.error_type}: {fault.message}")


def after_our_fault(error: Exception, failures: int, now: float, *, unread: bool) -> Verdict:
    """What becomes of a job on which Goatherd itself failed: a few more tries, so that it never goes round for ever."""
    told = Fault.of(error, Retry())
    why = f"a fault of Goatherd: {told.error_type}: {told.message}"
    if failures >= MOST_OF_OUR_FAULTS:
        return dead("failed", told.error_type, why, failures + 1, now, told.traceback)
    return Again(delay=AFTER_OUR_FAULT, failures=failures + 1, why=why, refused=unread)


def refused(reason: Reason, text: str, headers: Headers, failures: int, now: float, grace: float) -> Verdict:
    """What becomes of a job that this worker does not know: a newer worker may, so it waits for a while."""
    since = _time(headers.get(REFUSED_SINCE), now)
    offers = count_of(headers, REFUSALS)
    if now - since >= grace:
        return dead(reason, "Refused", f"{text} (offered for {now - since:.0f} s, {offers + 1} times)", failures, now)
    # The exponent is bounded because a long grace brings more offers than a float has room for.
    delay = min(LONGEST_OFFER, FIRST_OFFER * 2 ** min(offers, 10), grace - (now - since))
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


def _time(value: object, now: float) -> float:
    """A time that travelled in a header; what is none, or has yet to come, is now."""
    return float(value) if isinstance(value, int | float) and -math.inf < value < now else now


def _told(tell: Callable[[], str]) -> str:
    """What an error says, as text that every store can keep."""
    try:
        text = tell()
    except Exception as problem:  # noqa: BLE001 - an error that cannot speak is still the job's failure
        text = f"(its text cannot be told: {type(problem).__name__})"
    # Names of files may hold bytes that are no text; Python carries them as lone surrogates, which UTF-8 has not.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
