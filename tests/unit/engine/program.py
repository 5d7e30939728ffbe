"""A program whose functions run in processes of their own; each test loads it anew for its own file."""

import contextvars
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goatherd import Goatherd, Retry, sync

app = Goatherd("program", retry=Retry(0))

#: Seconds that the import of this program takes in a child.
time.sleep(float(os.environ.get("PROGRAM_IMPORT_SECONDS", "0")))


prepared: list[str] = []


@app.lifespan
async def preparations() -> AsyncIterator[None]:
    prepared.append("ready")
    yield
    farewell = os.environ.get("FAREWELL", "")
    if farewell == "never":
        time.sleep(3600)
    elif farewell:
        Path(farewell).write_text("left", encoding="utf-8")


@app.task(executor="process")
def what_is_prepared() -> list[str]:
    return prepared


@dataclass
class Size:
    width: int
    height: int


@app.task(executor="process")
def resize(ctx: sync.Context, size: Size, factor: int = 2) -> Size:
    assert ctx.job_id
    return Size(size.width * factor, size.height * factor)


@app.task(executor="process")
def whereabouts() -> int:
    return os.getpid()


@app.task(executor="process")
def broken(how: str) -> None:
    if how == "exit":
        sys.exit(3)
    raise FileNotFoundError("no file 'a\udc80'")


@app.task(executor="process", timeout=1)
def endless(marker: str) -> None:
    Path(marker).write_text(str(os.getpid()), encoding="utf-8")
    time.sleep(3600)


@app.task(executor="process", timeout=1)
def quick() -> None: ...


@app.task(executor="process")
def dies(how: str) -> None:
    if how == "kill -9":
        os.kill(os.getpid(), signal.SIGKILL)
    os._exit(7)


@app.task(executor="process")
def unsendable() -> Any:
    return contextvars.ContextVar("no JSON")


@app.task(executor="process")
def signalled() -> str:
    os.kill(os.getpid(), signal.SIGTERM)
    os.kill(os.getpid(), signal.SIGINT)
    # A program that the job starts must not inherit deaf ears.
    return subprocess.run(
        [sys.executable, "-c", "import signal; print(signal.getsignal(signal.SIGTERM).name)"],
        stdout=subprocess.PIPE, text=True, check=True,
    ).stdout.strip()  # fmt: skip


@app.task(executor="process")
def nested(ctx: sync.Context) -> bool:
    return same_job(ctx.job_id)


@app.task
def same_job(ctx: sync.Context, job_id: str) -> bool:
    return ctx.job_id == job_id


@app.task
async def bystander() -> None: ...
