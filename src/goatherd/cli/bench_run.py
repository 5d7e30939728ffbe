"""Measure how jobs go through an app's broker, on a scratch queue of its store."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any

import msgspec

from goatherd.app import Goatherd
from goatherd.cli.bench_worker import Record, Start, scratch_app
from goatherd.cli.output import Failed
from goatherd.config import NAMES
from goatherd.model.settings import Settings
from goatherd.model.topology import QueueState
from goatherd.task import Task

#: Senders at the same time in the second measure.
SENDERS = 64
#: Single jobs to an idle worker, and the seconds between two of them.
IDLE_SENDS, IDLE_GAP = 100, 0.02
#: Seconds within which the worker process must have done what was sent, and then must have ended.
WORK_DEADLINE, END_DEADLINE = 120.0, 30.0
#: The longest line that the worker may write: a record of all jobs.
LONGEST_LINE = 64 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What was measured, as `--json` gives it."""

    jobs: int
    send_per_second: float
    send_at_once_per_second: float
    send_many_per_second: float
    drain_per_second: float
    worker_microseconds_per_job: float
    idle_p50_milliseconds: float
    idle_p99_milliseconds: float


async def measure(app: Goatherd, jobs: int) -> Figures:
    """All figures of an app's broker; leaves the store as it was, but for one empty queue."""
    name = f"{app.name}.bench"
    start = Start(app=name, settings=scratch_settings(app.settings, name), records=[3 * jobs, IDLE_SENDS])
    scratch, job = scratch_app(start)
    async with scratch:
        await _make_empty(scratch)
        try:
            return await _measure(scratch, job, start, jobs)
        finally:
            await scratch.session().ports.operations.purge(name)


def scratch_settings(settings: Settings, queue: str) -> dict[str, Any]:
    """The app's own settings as keywords for the scratch app, which must be allowed to make its queue."""
    # Operators have nothing to do with it.
    told = msgspec.structs.replace(settings, default_queue=queue, declare="create", report_every=0.0)
    return {name: value for name, value in msgspec.to_builtins(told).items() if name in NAMES}


def figures_of(jobs: int, sending: Sequence[float], drained: Record, idle: Record) -> Figures:
    """Rates from seconds, latencies from starts."""
    moments = [started for started, _ in drained.marks]
    intervals = len(moments) - 1
    latencies = [(started - sent) / 1e6 for started, sent in idle.marks]
    one_by_one, at_once, many = (jobs / seconds for seconds in sending)
    return Figures(
        jobs=jobs,
        send_per_second=one_by_one,
        send_at_once_per_second=at_once,
        send_many_per_second=many,
        drain_per_second=intervals * 1e9 / (max(moments) - min(moments)),
        worker_microseconds_per_job=drained.cpu_ns / 1e3 / intervals,
        idle_p50_milliseconds=median(latencies),
        idle_p99_milliseconds=quantiles(latencies, n=100, method="inclusive")[-1],
    )


async def _measure(scratch: Goatherd, job: Task[[int], None], start: Start, jobs: int) -> Figures:
    sending = [
        await _timed(_send(job, range(jobs))),
        await _timed(_send_at_once(job, jobs)),
        await _timed(scratch.send_many(job.job(number) for number in range(jobs))),
    ]
    check_unshared(await _state(scratch), len(sending) * jobs)
    async with _worker(start) as records:
        drained = await anext(records)
        for _ in range(IDLE_SENDS):
            await asyncio.sleep(IDLE_GAP)
            await job.send(time.monotonic_ns())
        idle = await anext(records)
    return figures_of(jobs, sending, drained, idle)


async def _timed(work: Awaitable[Any]) -> float:
    began = time.perf_counter()
    await work
    return time.perf_counter() - began


async def _send(job: Task[[int], None], numbers: range) -> None:
    for number in numbers:
        await job.send(number)


async def _send_at_once(job: Task[[int], None], jobs: int) -> None:
    async with asyncio.TaskGroup() as senders:
        for first in range(SENDERS):
            senders.create_task(_send(job, range(first, jobs, SENDERS)), name=f"sender {first}")


async def _make_empty(scratch: Goatherd) -> None:
    """Drop what a run that was killed has left; raises Failed while another one is going on."""
    check_unshared(await _state(scratch))
    await scratch.session().ports.operations.purge(scratch.name)


async def _state(scratch: Goatherd) -> QueueState:
    states = await scratch.session().ports.operations.queues()
    return next(state for state in states if state.name == scratch.name)


def check_unshared(queue: QueueState, sent: int | None = None) -> None:
    """Raise Failed if others use the scratch queue: the figures would be wrong, theirs and ours."""
    if queue.consumers or queue.running or sent not in (None, queue.ready):
        raise Failed(
            f"Something else uses the queue {queue.name!r}, probably another bench on this store, so nothing can be "
            f"measured. Try again when it has ended."
        )


@asynccontextmanager
async def _worker(start: Start) -> AsyncIterator[AsyncIterator[Record]]:
    """A worker in a process of its own; gives its records as they come."""
    # -P: a file of the user's that happens to be called goatherd.py must not be taken for us.
    # A session of its own: Ctrl-C is for this process, which then ends the worker.
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "goatherd.cli.bench_worker", stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE, limit=LONGEST_LINE, start_new_session=True,
    )  # fmt: skip
    assert process.stdin is not None, "started with a pipe"
    process.stdin.write(msgspec.json.encode(start) + b"\n")
    try:
        yield _records(process)
    finally:
        process.stdin.close()
        try:
            async with asyncio.timeout(END_DEADLINE):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


async def _records(process: asyncio.subprocess.Process) -> AsyncIterator[Record]:
    assert process.stdout is not None, "started with a pipe"
    while True:
        try:
            async with asyncio.timeout(WORK_DEADLINE):
                line = await process.stdout.readline()
        except TimeoutError as error:
            raise Failed(
                f"The worker process did not do the jobs within {WORK_DEADLINE:g} s. Use fewer: --jobs."
            ) from error
        if not line:
            raise Failed("The worker process ended before it had done the jobs; what it said stands above.")
        yield msgspec.json.decode(line, type=Record)
