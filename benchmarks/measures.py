"""What is measured of one contender, each in processes of its own."""

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.figures import gaps, latencies_ms, share_balance, span_seconds
from benchmarks.processes import DEADLINE, Step, StepFailed, step, take
from benchmarks.settings import Entry
from benchmarks.tape import Counts

Sample: TypeAlias = dict[str, float | list[float]]

#: Worker processes that share one queue.
FELLOWS = 4
#: Seconds over which an idle worker's use of the processor is taken.
IDLE_SECONDS = 0.5
#: Jobs sent to a broker at first, to see how many it takes to fill the time.
FEWEST_JOBS = 250
#: Jobs of a drain that do not count: as many as a worker may have taken before it started the first.
SKIPPED = 400
#: Seconds that a broker gets for the acks of the last jobs.
LAST_ACKS = 0.1


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How much is measured."""

    #: Jobs that are sent to a file and drained from it.
    jobs: int = 2000
    #: Seconds for which jobs are sent to a broker in each way; all of them are then drained.
    seconds: float = 0.5
    repeat: int = 3
    beats: int = 60
    #: Idle clients that a gateway holds.
    crowd: int = 10_000
    #: Distinct keys with a job each, in a Redis; databases have a tenth of them.
    keys: int = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Filled:
    """A queue that was filled."""

    sample: Sample
    jobs: int


async def fill(entry: Entry, place: Path, ways: list[str], jobs: int) -> Filled:
    """One process fills a new queue in each of the ways that the contender has: jobs a second."""
    answer = await take(entry, "produce", place, ",".join(ways), jobs, 0, 0)
    return Filled(sample=answer["rates"], jobs=answer["sent"])


async def drain(entry: Entry, place: Path, jobs: int) -> Sample:
    """One worker empties a full queue: from the start of the first job to the start of the last."""
    counts = Counts(place / "counts", 1, jobs)
    async with step(entry, "work", place, counts.path, 0, 0, jobs) as worker:
        await until(counts, jobs, [worker])
        record = await worker.stop()
    checked(entry, "drained", [record], jobs)
    marks = record["marks"]
    seconds = span_seconds([marks])
    return {"drain": (jobs - 1) / seconds, "drain_cpu": record["cpu_ns"] / 1000 / (jobs - 1)}


async def share(entry: Entry, place: Path, jobs: int) -> Sample:
    """Four workers empty one queue: how fast together, and who got how much."""
    counts = Counts(place / "counts", FELLOWS, jobs)
    async with AsyncExitStack() as life:
        workers = [
            await life.enter_async_context(step(entry, "work", place, counts.path, slot, 0, 0))
            for slot in range(FELLOWS)
        ]
        await until(counts, jobs, workers)
        records = await asyncio.gather(*(worker.stop() for worker in workers))
    checked(entry, "shared", records, jobs)
    marks = [record["marks"] for record in records]
    return {
        "shared": jobs / span_seconds(marks),
        "shares": [len(of_one) / jobs for of_one in marks],
        "share_balance": share_balance([len(of_one) for of_one in marks]),
        "longest_gap": max(gaps(marks)) * 1000,
    }


async def idle(entry: Entry, place: Path, beats: int) -> Sample:
    """A worker with nothing to do: what waiting costs it, and how soon it starts a job that another process sends."""
    counts = Counts(place / "counts", 1, beats + 1)
    async with AsyncExitStack() as life:
        sender = await life.enter_async_context(step(entry, "beat", place, beats))
        await sender.answer()
        worker = await life.enter_async_context(step(entry, "work", place, counts.path, 0, 0, 0))
        await until(counts, 1, [worker, sender])
        used = await rest(worker)
        await sender.tell("go")
        await sender.answer()
        await until(counts, beats + 1, [worker])
        record = await worker.stop()
    checked(entry, "answered", [record], beats + 1)
    return {"idle_cpu": used * 100, "latencies": latencies_ms(record["marks"])}


async def one_of_each(entry: Entry, place: Path, ways: list[str], plan: Plan) -> Sample:
    """All of the above with one producer process and one worker process: starting them takes the most time."""
    async with AsyncExitStack() as life:
        arguments = (",".join(ways), FEWEST_JOBS, plan.seconds, plan.beats)
        sender = await life.enter_async_context(step(entry, "produce", place, *arguments))
        filled = await sender.answer()
        drained, everything = filled["sent"], filled["sent"] + plan.beats + 1
        counts = Counts(place / "counts", 1, everything)
        worker = await life.enter_async_context(step(entry, "work", place, counts.path, 0, SKIPPED, drained))
        await until(counts, drained, [worker, sender])
        used = await rest(worker)
        await sender.tell("go")
        await sender.answer()
        await until(counts, everything, [worker])
        # A quorum queue may take back what was acked in the moment before its consumer left.
        await asyncio.sleep(LAST_ACKS)
        record = await worker.stop()
    checked(entry, "did", [record], everything)
    marks, counted = record["marks"], drained - SKIPPED - 1
    return {
        **filled["rates"],
        "drain": counted / span_seconds([marks[SKIPPED:drained]]),
        "drain_cpu": record["cpu_ns"] / 1000 / counted,
        "idle_cpu": used * 100,
        "latencies": latencies_ms(marks[drained:]),
    }


async def dialogue(entry: Entry, place: Path, plan: Plan) -> Sample:
    """One process asks, another answers: single questions, then a hundred at once. All answers are right."""
    async with AsyncExitStack() as life:
        server = await life.enter_async_context(step(entry, "serve", place))
        asker = await life.enter_async_context(step(entry, "ask", place, plan.seconds, plan.beats))
        alone = await asker.answer()
        count, used = alone["count"], await _cpu_ns(server)
        await asker.tell("go")
        together = await asker.answer()
        used = await _cpu_ns(server) - used
        await asker.ended()
        left = (await server.stop())["left"]
    if left:
        raise StepFailed(f"{entry.setting}/{entry.name} left {left} answered questions in its queue")
    return {
        "call_latencies": alone["latencies"],
        "calls": count / together["seconds"],
        "caller_cpu": together["cpu_ns"] / 1000 / count,
        "server_cpu": used / 1000 / count,
    }


async def rest(worker: Step) -> float:
    """Leave a worker alone; returns its use of a processor meanwhile, 1 for all of it."""
    cpu, began = await _cpu_ns(worker), time.monotonic_ns()
    await asyncio.sleep(IDLE_SECONDS)
    return (await _cpu_ns(worker) - cpu) / (time.monotonic_ns() - began)


async def _cpu_ns(worker: Step) -> int:
    await worker.tell("cpu")
    return int((await worker.answer())["cpu_ns"])


async def until(counts: Counts, jobs: int, running: list[Step]) -> None:
    """Wait until so many jobs have begun; raises StepFailed when that cannot happen any more."""
    deadline = time.monotonic() + DEADLINE
    while counts.total() < jobs:
        if time.monotonic() > deadline or not all(one.alive() for one in running):
            said = " ".join(one.said() for one in running)
            raise StepFailed(f"only {counts.total()} of {jobs} jobs were begun. {said}")
        await asyncio.sleep(0.005)


def checked(entry: Entry, what: str, records: list[dict[str, Any]], jobs: int) -> None:
    """A fast run that lost or kept a job counts for nothing."""
    done = sum(len(record["marks"]) for record in records)
    # While fellows still hold some, a worker that ends early counts those too; the last one counts right.
    left = min(record["left"] for record in records)
    if done != jobs or left != 0:
        raise StepFailed(f"{entry.setting}/{entry.name} {what} {done} of {jobs} jobs, and {left} are left in its queue")
