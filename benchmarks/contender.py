"""What every contender offers, so that one frame can measure them all alike.

A contender is one file with a `CONTENDER`. It only says how its library sends and works, or asks and answers; clocks,
processes and counting belong to the frame. Every job is the same: a function of one number that calls
`benchmarks.tape.mark` or, where somebody waits for the answer, gives `benchmarks.questions.right_answer`.
"""

import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from benchmarks.questions import Questions

Send: TypeAlias = Callable[[int], Awaitable[None]]
SendAll: TypeAlias = Callable[[Sequence[int]], Awaitable[None]]
#: Ask everything, with so many questions on their way at once.
AskAll: TypeAlias = Callable[[Questions, int], Awaitable[None]]


@dataclass(frozen=True, kw_only=True)
class Promise:
    """What is true of a job once it is sent; speeds compare only between equal promises."""

    delivery: Literal["at least once", "at most once"]
    #: Whether a job that was sent outlives a power cut.
    synced: bool
    #: When it syncs, and what else a reader should know, in a few words.
    note: str
    #: Whether several worker processes may take from one queue.
    shared: bool = True

    @property
    def alike(self) -> bool:
        """Whether it is near enough to ours for a fair ratio: jobs survive a power cut and any worker may do them."""
        return self.synced and self.shared


@dataclass(frozen=True, kw_only=True)
class Producer:
    """The ways in which an open contender sends."""

    #: One job, as promised when it returns.
    send: Send
    #: Many jobs by 64 senders at the same time; None if the library has no use for it.
    at_once: SendAll | None = None
    #: Many jobs in one go; None if the library has no such call.
    batch: SendAll | None = None


class Named(Protocol):
    """What every outcome is told with."""

    @property
    def label(self) -> str:
        """Its name in tables."""

    @property
    def package(self) -> str:
        """The distribution whose version is reported; empty if it is none of Python's."""

    @property
    def promise(self) -> Promise:
        """What it promises as it is set up here."""


class Working(Named, Protocol):
    """One library in one setting: the side that does the jobs."""

    @property
    def on_uvloop(self) -> bool:
        """Whether its own command line runs its workers on uvloop; its producers then run on it too."""

    async def prepare(self, place: Path) -> None:
        """Make the queue in a folder unless it is there."""

    def work(self, place: Path, stop: threading.Event) -> None:
        """Do jobs on the main thread of this process until `stop` is set, then settle everything and return."""

    async def left(self, place: Path) -> int:
        """How many jobs the queue still holds, the unsettled ones included."""


class Contender(Working, Protocol):
    """One that sends jobs and does them."""

    def producer(self, place: Path) -> AbstractAsyncContextManager[Producer]:
        """Open the queue for sending."""


class Dialogue(Working, Protocol):
    """One that asks and waits for the answer; its jobs give the right one."""

    def asking(self, place: Path) -> AbstractAsyncContextManager[AskAll]:
        """Open the queue for questions, and whatever the answers come to."""


@runtime_checkable
class Client(Named, Protocol):
    """A program that does single things to a broker: `PROGRAM URL QUEUE TYPE STEP COUNT WINDOW`."""

    @property
    def queue_type(self) -> str:
        """The type of its queues."""

    def program(self, folder: Path) -> Sequence[str]:
        """The command line without its arguments; made ready in a folder if need be. Raises CannotBeMeasured."""


class CannotBeMeasured(Exception):
    """Something that a contender needs is not on this machine; the text says what."""


#: Gateways are Named; what else they offer is in `benchmarks.sse.contender`.
AnyContender: TypeAlias = Contender | Dialogue | Client | Named
