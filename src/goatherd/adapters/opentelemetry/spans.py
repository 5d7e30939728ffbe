"""A span of OpenTelemetry as the engine uses it."""

import logging
import sys

from opentelemetry import trace
from opentelemetry.trace import Status, StatusCode

from goatherd.adapters.opentelemetry import names
from goatherd.model.verdict import Again, Answered, Dead, Done, Dropped, Verdict

log = logging.getLogger("goatherd.tracing")


def tell_of_fault() -> None:
    """Say that what the program has chosen to record spans has just raised an error."""
    log.error("A span could not be recorded; the work goes on without it", exc_info=sys.exception())


class OpenSpan:
    """Satisfies `Span`."""

    __slots__ = ("_span",)

    def __init__(self, span: trace.Span) -> None:
        self._span = span

    def stage(self, stage: str, percent: float | None) -> None:
        told: dict[str, str | float] = {names.STAGE: str(stage)}
        if percent is not None:
            told[names.PERCENT] = percent
        self._span.add_event(names.PROGRESS, told)

    def ended(self, verdict: Verdict) -> None:
        match verdict:
            case Done():
                self._span.set_attribute(names.OUTCOME, names.DONE)
            case Again(why=why):
                self._say("retried", *_error_in(why))
            case Dead(burial=burial):
                self._say("dead", burial.error_type, burial.message, burial.traceback)
            case Answered(outcome="failed", why=why):
                self._say("failed", *_error_in(why))
            case Answered(outcome=outcome) | Dropped(outcome=outcome):
                self._span.set_attribute(names.OUTCOME, outcome)
            case _:
                self._span.set_attribute(names.OUTCOME, "handed_back")

    def failed(self, error: BaseException) -> None:
        try:
            self._span.set_attribute(names.ERROR_TYPE, type(error).__name__)
            self._span.record_exception(error)
            self._span.set_status(Status(StatusCode.ERROR, str(error)))
        except Exception:  # noqa: BLE001 - an error of a user may have no text
            tell_of_fault()

    def end(self) -> None:
        try:
            self._span.end()
        except Exception:  # noqa: BLE001 - whatever the program has chosen may raise anything
            tell_of_fault()

    def _say(self, outcome: str, error_type: str, message: str, traceback: str = "") -> None:
        self._span.set_attribute(names.OUTCOME, outcome)
        self._span.set_attribute(names.ERROR_TYPE, error_type)
        told = {names.EXCEPTION_TYPE: error_type, names.EXCEPTION_MESSAGE: message}
        if traceback:
            told[names.EXCEPTION_STACKTRACE] = traceback
        self._span.add_event(names.EXCEPTION, told)
        self._span.set_status(Status(StatusCode.ERROR, f"{error_type}: {message}"))


def _error_in(why: str) -> tuple[str, str]:
    """The type of an error and what it says."""
    error_type, mark, message = why.partition(": ")
    # Whoever counts errors by type wants a few: that a process was killed is none that anybody raised.
    return (error_type, message) if mark and error_type.isidentifier() else (names.OTHER_ERROR, why)
