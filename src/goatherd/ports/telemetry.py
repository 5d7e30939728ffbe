"""Facts about what happens, for metrics, traces and tests."""

from typing import Literal, Protocol, TypeAlias

from goatherd.model.formats import Work
from goatherd.model.message import Message

Outcome: TypeAlias = Literal["done", "failed", "expired", "cancelled", "retried", "dead", "handed_back"]
#: How a call ended for its caller.
CallOutcome: TypeAlias = Literal["answered", "failed", "timeout", "unavailable", "refused", "cancelled"]
#: What became of an answer at the worker.
AnswerOutcome: TypeAlias = Literal["given", "undeliverable", "expired", "cancelled"]
#: Why an answer that came was not used.
Stray: TypeAlias = Literal["late", "foreign"]


class Telemetry(Protocol):
    """Told of facts on the event loop; must be quick and must not raise."""

    def sent(self, message: Message) -> None:
        """A job was accepted by the broker."""

    def started(self, queue: str, task: str, work: Work, waited: float) -> None:
        """An attempt begins, after the job has waited so many seconds since it was due."""

    def ended(self, queue: str, task: str, work: Work, outcome: Outcome, seconds: float) -> None:
        """An attempt ended."""

    def buried(self, queue: str, task: str, job_id: str, reason: str) -> None:
        """A job became a dead letter."""

    def called(self, queue: str, task: str, outcome: CallOutcome, seconds: float) -> None:
        """A call of this process ended."""

    def answered(self, queue: str, outcome: AnswerOutcome) -> None:
        """This worker answered a call, or dropped it because its caller had given up."""

    def took_answers(self, queue: str, count: int) -> None:
        """So many answers were taken from this process's own queue for them, whether anybody waited or not."""

    def stray_reply(self, why: Stray) -> None:
        """An answer came for which nobody waits."""

    def events_lost(self, count: int, why: str) -> None:
        """So many events of tracked jobs will not be seen by anybody: the store was away, or they were too much."""

    def link(self, port: str, state: str) -> None:
        """A port's connection changed its state."""


class Silent:
    """Telemetry for those who want none."""

    def sent(self, message: Message) -> None: ...

    def started(self, queue: str, task: str, work: Work, waited: float) -> None: ...

    def ended(self, queue: str, task: str, work: Work, outcome: Outcome, seconds: float) -> None: ...

    def buried(self, queue: str, task: str, job_id: str, reason: str) -> None: ...

    def called(self, queue: str, task: str, outcome: CallOutcome, seconds: float) -> None: ...

    def answered(self, queue: str, outcome: AnswerOutcome) -> None: ...

    def took_answers(self, queue: str, count: int) -> None: ...

    def stray_reply(self, why: Stray) -> None: ...

    def events_lost(self, count: int, why: str) -> None: ...

    def link(self, port: str, state: str) -> None: ...
