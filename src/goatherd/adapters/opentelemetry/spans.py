"""A span of OpenTelemetry as the engine uses it."""

from opentelemetry import trace
from opentelemetry.trace import Status, StatusCode

from goatherd.adapters.opentelemetry import names
from goatherd.model.verdict import Again, Answered, Dead, Done, Dropped, Verdict


class OpenSpan:
    """Satisfies `Span`."""

    __slots__ = ("_span",)

    def __init__(self, span: trace.Span) -> None:
        self._span = span

    def stage(self, stage: str, percent: float | None) -> None:
        told: dict[str, str | float] = {names.STAGE: stage}
        if percent is not None:
            told[names.PERCENT] = percent
        self._span.add_event(names.PROGRESS, told)

    def ended(self, verdict: Verdict) -> None:
        match verdict:
            case Done():
                self._span.set_attribute(names.OUTCOME, "done")
            case Again(why=why):
                error_type, _, message = why.partition(": ")
                self._say("retried", error_type, message)
            case Dead(burial=burial):
                self._say("dead", burial.error_type, burial.message, burial.traceback)
            case Answered(outcome="failed", why=why):
                error_type, _, message = why.partition(": ")
                self._say("failed", error_type, message)
            case Answered(outcome=outcome) | Dropped(outcome=outcome):
                self._span.set_attribute(names.OUTCOME, outcome)
            case _:
                self._span.set_attribute(names.OUTCOME, "handed_back")

    def failed(self, error: BaseException) -> None:
        self._span.record_exception(error)
        self._span.set_attribute(names.ERROR_TYPE, type(error).__name__)
        self._span.set_status(Status(StatusCode.ERROR, str(error)))

    def end(self) -> None:
        self._span.end()

    def _say(self, outcome: str, error_type: str, message: str, traceback: str = "") -> None:
        self._span.set_attribute(names.OUTCOME, outcome)
        self._span.set_attribute(names.ERROR_TYPE, error_type)
        told = {names.EXCEPTION_TYPE: error_type, names.EXCEPTION_MESSAGE: message}
        if traceback:
            told[names.EXCEPTION_STACKTRACE] = traceback
        self._span.add_event(names.EXCEPTION, told)
        self._span.set_status(Status(StatusCode.ERROR, f"{error_type}: {message}"))
