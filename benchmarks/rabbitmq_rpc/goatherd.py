"""Goatherd: `await task.call(...)`, answers on a durable queue of the calling process."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from benchmarks.asking import AT_ONCE
from benchmarks.contender import AskAll, Dialogue, Promise
from benchmarks.loops import run
from benchmarks.questions import ask_by_tasks, right_answer
from benchmarks.rabbitmq.promises import QueueType
from benchmarks.rabbitmq.server import left_in, queue_of, url_of
from benchmarks.rabbitmq_rpc.promises import PREFETCH, confirmed
from goatherd import Goatherd, Task

PROMISE = confirmed("request and answer persistent and confirmed, answers survive a lost connection")


@dataclass(frozen=True, kw_only=True)
class GoatherdDialogue:
    """Goatherd on one queue, with its default deadline for calls."""

    label: str = "goatherd"
    package: str = "goatherd"
    promise: Promise = PROMISE
    on_uvloop: bool = True
    queue_type: QueueType = "classic"
    reply_queue: Literal["durable", "exclusive"] = "durable"

    async def prepare(self, place: Path) -> None:
        app, _ = self.app(place)
        async with app:
            pass

    @asynccontextmanager
    async def asking(self, place: Path) -> AsyncIterator[AskAll]:
        app, answer = self.app(place)
        async with app:
            yield partial(ask_by_tasks, answer.call)

    def work(self, place: Path, stop: threading.Event) -> None:
        run(self, self._work(place, stop))

    async def left(self, place: Path) -> int:
        return await left_in(place, queue_of(place))

    def app(self, place: Path) -> tuple[Goatherd, Task[[int], int]]:
        """The application and its only task."""
        app = Goatherd(
            "bench",
            broker_url=url_of(place),
            default_queue=queue_of(place),
            queue_type=self.queue_type,
            reply_queue=self.reply_queue,
            concurrency=AT_ONCE,
            prefetch=PREFETCH,
        )

        async def answer(number: int) -> int:
            return right_answer(number)

        return app, app.task(answer)

    async def _work(self, place: Path, stop: threading.Event) -> None:
        app, _ = self.app(place)
        async with app.serve("worker"):
            await asyncio.to_thread(stop.wait)


CONTENDER: Dialogue = GoatherdDialogue()
