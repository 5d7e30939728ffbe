"""What is measured of one contender with keys, each with a sender and a worker in processes of their own."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Marks, latencies_ms, span_seconds
from benchmarks.lanes.contender import Ordered
from benchmarks.lanes.sizes import analyse, size_of
from benchmarks.measures import LAST_ACKS, SKIPPED, Plan, Sample, checked, rest, until
from benchmarks.processes import Step, StepFailed, step
from benchmarks.settings import Entry
from benchmarks.tape import Counts

#: Keys over which the jobs of a drain are spread.
KEYS = 1000
#: Jobs of a drain for each job on a file, where all are fast; procrastinate and who is compared with it have that one.
MORE = 10
#: Seconds that a store gets to let go of what it no longer needs.
SETTLE = 1.0
PROGRAM = "benchmarks.lanes.child"
MEGABYTE = 1024 * 1024


async def ordered(entry: Entry, contender: Ordered, place: Path, jobs: int, plan: Plan) -> Sample:
    """One process sends to all keys in turn, one worker does the jobs; then it waits for single ones."""
    async with AsyncExitStack() as life:
        sender = await life.enter_async_context(step(entry, "fill", place, jobs, KEYS, plan.beats, program=PROGRAM))
        filled = await sender.answer()
        if "postgres" in entry.servers:
            await analyse(place)
        everything = jobs + plan.beats + 1
        counts = Counts(place / "counts", 1, everything)
        skipped = min(SKIPPED, jobs // 10)
        worker = await life.enter_async_context(step(entry, "work", place, counts.path, skipped, jobs, program=PROGRAM))
        await _all_begun(counts, jobs, [worker, sender])
        used = await rest(worker)
        await sender.tell("go")
        await sender.answer()
        await until(counts, everything, [worker])
        await asyncio.sleep(LAST_ACKS)
        record = await worker.stop()
    checked(entry, "did", [record], everything)
    marks, counted = record["marks"], jobs - skipped - 1
    if contender.keeps_order:
        _check_order(entry, marks[:jobs])
    return {
        "fill": filled["fill"],
        "drain": counted / span_seconds([marks[skipped:jobs]]),
        "drain_cpu": record["cpu_ns"] / 1000 / counted,
        "idle_cpu": used * 100,
        "latencies": latencies_ms(marks[jobs:]),
    }


def turned_around(marks: Marks, keys: int) -> list[int]:
    """Numbers of jobs that were begun after a later job of their key."""
    newest: dict[int, int] = {}
    late = []
    for _, number in marks:
        key = (number - 1) % keys
        if number < newest.get(key, 0):
            late.append(number)
        newest[key] = max(number, newest.get(key, 0))
    return late


def _check_order(entry: Entry, marks: Marks) -> None:
    late = turned_around(marks, KEYS)
    if late:
        raise StepFailed(f"{entry.setting}/{entry.name} did {len(late)} jobs out of order, the first is {late[0]}")


@dataclass(frozen=True, kw_only=True)
class Wave:
    """Jobs of new keys that came and went: seconds for each, and what the store held with all of them and after."""

    came: float
    went: float
    top: int
    after: int


async def many_keys(entry: Entry, place: Path, keys: int) -> Sample:
    """One job for each of very many keys, in two waves: what the store holds follows the jobs, not the keys it saw."""
    half = keys // 2
    async with step(entry, "flood", place, half, program=PROGRAM) as sender:
        await sender.answer()
        before = await size_of(entry.name, place)
        first, second = await _wave(entry, place, half, sender), await _wave(entry, place, half, sender)
    came, went = first.came + second.came, first.went + second.went
    return {
        "keys": 2.0 * half,
        "keys_fill": 2 * half / came,
        "keys_drain": 2 * (half - 1) / went,
        "keys_seconds": came + went,
        "size_before": before / MEGABYTE,
        "size_top": first.top / MEGABYTE,
        "size_between": first.after / MEGABYTE,
        "size_again": second.top / MEGABYTE,
        "size_after": second.after / MEGABYTE,
        "size_each": (first.top - before) / half,
    }


async def _wave(entry: Entry, place: Path, jobs: int, sender: Step) -> Wave:
    came = await _flood(sender, jobs)
    top = await size_of(entry.name, place)
    counts = Counts(place / "counts", 1, jobs)
    async with step(entry, "ebb", place, counts.path, jobs, program=PROGRAM) as worker:
        await _all_begun(counts, jobs, [worker, sender])
        await asyncio.sleep(LAST_ACKS)
        record = await worker.stop()
    if record["done"] != jobs or record["left"]:
        raise StepFailed(f"{entry.name} did {record['done']} of {jobs} jobs, and {record['left']} are left")
    await asyncio.sleep(SETTLE)
    return Wave(came=came, went=record["seconds"], top=top, after=await size_of(entry.name, place))


async def _flood(sender: Step, jobs: int) -> float:
    loop = asyncio.get_running_loop()
    await sender.tell("go")
    began = loop.time()
    while (await sender.answer())["sent"] < jobs:
        pass
    return loop.time() - began


async def _all_begun(counts: Counts, jobs: int, running: list[Step]) -> None:
    """Return when so many have begun, however long that takes; raises StepFailed when they stop doing so."""
    while (begun := counts.total()) < jobs:
        await until(counts, min(jobs, begun + jobs // 20 + 1), running)
