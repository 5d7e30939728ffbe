"""The worker process of `goatherd bench`: does the jobs of the scratch queue and tells when each started.

Its first line of input says what to do. It ends with its input, so that it never outlives the command.
"""

from __future__ import annotations

import asyncio
import sys
import time
from contextlib import suppress
from typing import Any

import msgspec

from goatherd.app import Goatherd
from goatherd.roles import working
from goatherd.task import Task


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """What the worker is started with."""

    app: str
    #: Keywords of the scratch app.
    settings: dict[str, Any]
    #: After so many jobs, and then after so many more, a record is told.
    records: list[int]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """Jobs as they started."""

    #: When each started and when it was sent, in nanoseconds of the machine's monotonic clock.
    marks: list[tuple[int, int]]
    #: Processor time of this process from the first to the last.
    cpu_ns: int


class Tape:
    """Writes down starts until there are as many as were wanted."""

    def __init__(self) -> None:
        self._begin_anew(0)

    def mark(self, sent: int) -> None:
        """A job starts."""
        if not self._marks:
            self._cpu_first = time.process_time_ns()
        self._marks.append((time.monotonic_ns(), sent))
        if len(self._marks) == self._wanted:
            self._cpu_last = time.process_time_ns()
            self._enough.set()

    async def take(self, jobs: int) -> Record:
        """The next so many starts."""
        self._begin_anew(jobs)
        await self._enough.wait()
        return Record(marks=self._marks, cpu_ns=self._cpu_last - self._cpu_first)

    def _begin_anew(self, wanted: int) -> None:
        self._marks: list[tuple[int, int]] = []
        self._wanted = wanted
        self._enough = asyncio.Event()
        self._cpu_first = self._cpu_last = 0


def scratch_app(start: Start, tape: Tape | None = None) -> tuple[Goatherd, Task[[int], None]]:
    """An app on the user's broker whose only task does nothing but be noted on the tape."""
    app = Goatherd(start.app, **start.settings)

    @app.task
    async def bench_job(sent: int) -> None:
        if tape is not None:
            tape.mark(sent)

    return app, bench_job


async def serve() -> None:
    """Work until the input ends."""
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    start = msgspec.json.decode(await lines.readline(), type=Start)
    tape = Tape()
    app, _ = scratch_app(start, tape)
    async with app:
        telling = asyncio.create_task(_tell(tape, start.records), name="tell the records")
        # The task has to be listening before the first job comes.
        await asyncio.sleep(0)
        async with working(app):
            await lines.read()
        telling.cancel()
        with suppress(asyncio.CancelledError):
            await telling


async def _tell(tape: Tape, records: list[int]) -> None:
    for jobs in records:
        record = await tape.take(jobs)
        sys.stdout.buffer.write(msgspec.json.encode(record) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    asyncio.run(serve())
