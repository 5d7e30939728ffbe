"""Goatherd for threaded programs: `blocking(task).call(...)` in a hundred threads, over one I/O thread."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from benchmarks.contender import AskAll, Dialogue
from benchmarks.questions import ask_by_threads
from benchmarks.rabbitmq_rpc.goatherd import GoatherdDialogue
from goatherd.sync import blocking


class BlockingDialogue(GoatherdDialogue):
    """Threads ask; the server is the same."""

    @asynccontextmanager
    async def asking(self, place: Path) -> AsyncIterator[AskAll]:
        _, answer = self.app(place)
        # Threads of their own, for on the thread of this loop a verb that waits is refused.
        yield partial(ask_by_threads, blocking(answer).call)


CONTENDER: Dialogue = BlockingDialogue(label="goatherd.sync, threads")
