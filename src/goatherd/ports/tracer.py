"""Traces: what was caused by what, across processes."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Literal, Protocol, TypeAlias

from goatherd.model.formats import Work
from goatherd.model.message import Message
from goatherd.model.task import TaskDefinition
from goatherd.model.trace_context import Carrier
from goatherd.model.verdict import Verdict

Verb: TypeAlias = Literal["send", "call", "start"]


class Span(Protocol):
    """Something that is being done, as its trace tells it."""

    def stage(self, stage: str, percent: float | None) -> None:
        """It has come so far."""

    def ended(self, verdict: Verdict) -> None:
        """An attempt has come to this end."""

    def failed(self, error: BaseException) -> None:
        """It was broken off by an error."""

    def end(self) -> None:
        """It is over; nothing more is told."""


class Tracer(Protocol):
    """Begins spans. Where nobody wants traces there is none of these, and nothing is asked of it.

    Called on the event loop or, for what is written into a user's transaction, on any thread; must be quick and must
    not raise.
    """

    def carrier(self) -> Carrier:
        """What takes the work that is caused here and now into the same trace; nothing if there is no trace here."""

    def sending(self, verb: Verb, task: str, queue: str, ids: Sequence[str]) -> AbstractContextManager[None]:
        """Jobs are sent while the block lasts, in a span that is the cause of what they do. `queue` may be unknown."""

    def attempt(self, message: Message, task: TaskDefinition, work: Work) -> Span:
        """An attempt begins. The asyncio task that says so is its own, and is in the span from now on."""

    def firing(self, schedule: str, id: str) -> AbstractContextManager[None]:
        """A tick fires while the block lasts: the beginning of a trace."""

    def streaming(self, app: str, job_id: str, carrier: Carrier, asked: Carrier) -> Span:
        """Somebody watches a job: a span in the job's trace, linked to the request's own."""

    def within(self, carrier: Carrier) -> AbstractContextManager[None]:
        """What is done while the block lasts belongs to a trace that another process told of."""
