"""The app whose workers the fault runs kill. Every start and end of a job's code is a line on disk before it counts."""

import asyncio
import os
import signal
import time
from pathlib import Path

from goatherd import Context, Goatherd, Retry

app = Goatherd("faults", retry=Retry(3, base=0.1))


@app.task
async def work(ctx: Context, milliseconds: int) -> None:
    mark("start", ctx)
    await asyncio.sleep(milliseconds / 1000)
    mark("end", ctx)


@app.task
async def answer(ctx: Context, number: int, milliseconds: int) -> int:
    mark("start", ctx)
    await asyncio.sleep(milliseconds / 1000)
    mark("end", ctx)
    return number


@app.task
async def murder(ctx: Context) -> None:
    mark("start", ctx)
    os.kill(os.getpid(), signal.SIGKILL)


def mark(what: str, ctx: Context) -> None:
    # One unbuffered append: what is written survives `kill -9` and lines of several processes do not mix.
    journal = Path(os.environ["FAULTS_JOURNAL"]) / f"{os.getpid()}.log"
    file = os.open(journal, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(file, f"{what} {ctx.job_id} {time.time()}\n".encode())
    finally:
        os.close(file)
