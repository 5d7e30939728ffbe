"""An office whose jobs are watched; every test loads it anew, for its own stores. Also a program that watches."""

import asyncio
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from goatherd import Context, GiveUp, Goatherd, Retry, sync

app = Goatherd("office", retry=Retry(0), event_ttl=600)


def note(word: str) -> None:
    """Leave a line for the test, whichever process it is."""
    with Path(os.environ["OFFICE_NOTES"]).open("a", encoding="utf-8") as notes:
        notes.write(f"{word}\n")


@app.task
async def write(ctx: Context, words: int, pause: float = 0.0) -> str:
    note("write")
    await ctx.progress("outline", 10, status="started", words=words)
    for number in range(words):
        await ctx.token(f"word{number} ")
        await asyncio.sleep(pause)
    await ctx.progress("review", 90)
    return f"{words} words"


@app.task(retry=Retry(2, base=0.05, jitter=0))
async def stumble(ctx: Context, times: int) -> int:
    await ctx.token(f"attempt {ctx.attempt}")
    if ctx.attempt <= times:
        raise ConnectionError("the line is cut")
    return ctx.attempt


@app.task
async def refuse() -> None:
    raise GiveUp("not my job")


@app.task(retry=Retry(1, base=3600, max=3600, jitter=0))
async def come_later() -> None:
    note("come_later")
    raise ConnectionError("nobody is here")


@app.task
async def idle(name: str = "idle") -> str:
    note(f"{name} began")
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        note(f"{name} stopped")
        raise
    return name


@app.task
def idle_in_a_thread(ctx: sync.Context) -> None:
    note("thread began")
    while not ctx.cancelled:
        time.sleep(0.01)
    note("thread stopped")


@app.task(executor="process")
def idle_in_a_process() -> None:
    note(f"process began {os.getpid()}")
    time.sleep(600)


@app.task(executor="process")
def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@app.task
async def strange_result(kind: str) -> Any:
    return object() if kind == "no JSON" else "x" * 5000


@app.task(timeout=0.2)
async def dawdle() -> None:
    await asyncio.Event().wait()


@app.task(queue=app.queue("briefly", ttl=0.3, dead_letter=("office.graves", "briefly")))
async def brief() -> None:
    note("brief")


@app.task(queue=app.queue("plain", format="plain"), tracked=True)
async def plain_order(item: str) -> str:
    return f"one {item}"


@app.task(queue=app.queue("taskiq", format="taskiq"), name="office:order", tracked=True)
async def taskiq_order(item: str) -> str:
    return f"one {item}"


def say(word: object) -> None:
    sys.stdout.write(json.dumps(word) + "\n")


async def watch(job_id: str, after: str) -> None:
    async with app:
        run = app.run(job_id)
        async for event in run.events(after or None):
            say([type(event).__name__, event.id])
        say([await run.status(), await run.text()])


async def cancel(job_id: str) -> None:
    async with app:
        say(await app.run(job_id).cancel())


if __name__ == "__main__":
    verb, job, *rest = sys.argv[1:]
    asyncio.run(watch(job, *rest) if verb == "watch" else cancel(job))
