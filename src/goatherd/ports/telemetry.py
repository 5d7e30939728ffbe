"""Facts about what happens, for metrics, traces and tests."""

from typing import Literal, Protocol, TypeAlias

from goatherd.model.formats import Work
from goatherd.model.message import Message

Outcome: TypeAlias = Literal["done", "retried", "dead", "handed_back", "refused"]


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

    def link(self, port: str, state: str) -> None:
        """A port's connection changed its state."""


class Silent:
    """Telemetry for those who want none."""

    def sent(self, message: Message) -> None: ...

    def started(self, queue: str, task: str, work: Work, waited: float) -> None: ...

    def ended(self, queue: str, task: str, work: Work, outcome: Outcome, seconds: float) -> None: ...

    def buried(self, queue: str, task: str, job_id: str, reason: str) -> None: ...

    def link(self, port: str, state: str) -> None: ...
