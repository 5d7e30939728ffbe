"""What callers ask of the writer thread, and how their answers get back to them."""

import asyncio
import logging
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any, TypeAlias, TypeVar

import apsw

Result = TypeVar("Result")
Operation: TypeAlias = Callable[[apsw.Connection], Result]
#: Called on the writer thread with an operation's result once it is committed.
After: TypeAlias = Callable[[Any], None]

#: More would make single callers wait without saving any more syncs.
LARGEST_BATCH = 256

log = logging.getLogger("goatherd.sqlite")


class Request:
    """One operation on its way to the writer thread."""

    __slots__ = ("after", "answer", "durable", "error", "operation", "result", "writes")

    def __init__(
        self, operation: Operation[Any], *, writes: bool, durable: bool = False, after: After | None = None
    ) -> None:
        self.operation = operation
        self.writes = writes
        self.durable = durable
        self.after = after
        self.answer: asyncio.Future[Any] | None = None
        self.result: Any = None
        self.error: Exception | None = None


def take_batch(requests: "SimpleQueue[Request | None]") -> tuple[list[Request], bool]:
    """Wait for a request, then take all that wait beside it; false with the last batch before the end."""
    batch: list[Request] = []
    request = requests.get()
    while request is not None:
        batch.append(request)
        if len(batch) == LARGEST_BATCH:
            return batch, True
        try:
            request = requests.get_nowait()
        except Empty:
            return batch, True
    return batch, False


def answer_all(batch: list[Request]) -> None:
    """Hand the answers to the loops that wait for them, waking each loop once."""
    by_loop: dict[asyncio.AbstractEventLoop, list[Request]] = {}
    for request in batch:
        if request.after is not None and request.error is None:
            request.after(request.result)
        if request.answer is not None:
            by_loop.setdefault(request.answer.get_loop(), []).append(request)
        elif request.error is not None:
            log.error("A write in the background failed: %s", request.error, exc_info=request.error)
    for loop, answered in by_loop.items():
        try:
            loop.call_soon_threadsafe(_answer, answered)
        except RuntimeError:
            # The loop was closed while its callers still waited: there is nobody left to tell.
            log.warning("%d answers from the store came after their event loop had closed", len(answered))


def _answer(requests: list[Request]) -> None:
    for request in requests:
        if request.answer is None or request.answer.done():
            continue
        if request.error is not None:
            request.answer.set_exception(request.error)
        else:
            request.answer.set_result(request.result)
