"""The app whose workers stream while they, or the store of their events, are killed and frozen."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from goatherd import Context, Goatherd, Retry

app = Goatherd("newsroom", retry=Retry(0), grace_period=5)


@app.task
async def report(ctx: Context, words: int, pause: float) -> tuple[str, float]:
    """Its text, and the seconds that it took to write it."""
    mark("begin")
    begun, text = time.monotonic(), ""
    for number in range(words):
        # Whose word it is can be told by the pid.
        word = f"{os.getpid()}:{number} "
        text += word
        await ctx.token(word)
        if number % 25 == 0:
            await ctx.progress(f"page {number // 25}", 100 * number / words)
        await asyncio.sleep(pause)
    mark("end")
    return text, time.monotonic() - begun


@app.lifespan
async def fate() -> AsyncIterator[None]:
    """One worker may be told to die as soon as it says that a job is done."""
    if "NEWSROOM_DIES_AT_ACK" in os.environ:
        broker: Any = app.session().ports.broker

        def die(_delivery: object) -> None:
            mark("ack")
            os.kill(os.getpid(), signal.SIGKILL)

        broker.ack = die
    yield


def mark(what: str) -> None:
    """Leave a line for the test; what is written survives `kill -9`."""
    file = os.open(Path(os.environ["NEWSROOM_JOURNAL"]), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(file, f"{what} {os.getpid()}\n".encode())
    finally:
        os.close(file)
