"""The main program of every measured process: a producer, a worker, or one side of a dialogue of one contender."""

import asyncio
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import cast

from benchmarks import tape
from benchmarks.asking import ask
from benchmarks.contender import Contender, Dialogue, Producer, SendAll
from benchmarks.loops import run
from benchmarks.pipes import own_pipes, say, told, told_to_stop
from benchmarks.settings import Entry
from benchmarks.ways import SENDERS

#: Seconds between two jobs of the idle measure; random, so that nobody who polls is met in step.
SHORTEST_GAP, LONGEST_GAP = 0.01, 0.03
#: Jobs that are enough to time even the fastest way.
MOST_JOBS = 50_000


@dataclass(frozen=True, kw_only=True)
class Amount:
    """How much a producer sends."""

    jobs: int
    #: Seconds that each way should take at least, with more jobs if need be.
    seconds: float
    #: Single jobs to send afterwards, at the word.
    beats: int


async def produce(contender: Contender, place: Path, ways: str, amount: Amount) -> None:
    """Send jobs in each of the ways that the contender has; tells the rate of each, and how many were sent in all."""
    await contender.prepare(place)
    rates: dict[str, float] = {}
    sent = 0
    for way in ways.split(","):
        async with contender.producer(place) as producer:
            send_all = _way(producer, way)
            if send_all is not None:
                rates[way], count = await _rate(send_all, amount)
                sent += count
    say({"rates": rates, "sent": sent})
    if amount.beats:
        await told()
        async with contender.producer(place) as producer:
            await producer.send(tape.WARM_UP)
            await _beat(producer, amount.beats)
        say({})


async def _rate(send_all: SendAll, amount: Amount) -> tuple[float, int]:
    """Jobs a second, and how many were sent to find it."""
    jobs = amount.jobs
    await send_all([tape.WARM_UP] * SENDERS)
    seconds = await _seconds(send_all, jobs)
    if seconds >= amount.seconds:
        return jobs / seconds, SENDERS + jobs
    more = min(MOST_JOBS, ceil(jobs * amount.seconds / seconds))
    return more / await _seconds(send_all, more), SENDERS + jobs + more


async def _seconds(send_all: SendAll, jobs: int) -> float:
    everything = [time.monotonic_ns()] * jobs
    began = time.perf_counter()
    await send_all(everything)
    return time.perf_counter() - began


def _way(producer: Producer, way: str) -> SendAll | None:
    async def one_by_one(jobs: Sequence[int]) -> None:
        for sent in jobs:
            await producer.send(sent)

    return {"one_by_one": one_by_one, "at_once": producer.at_once, "batch": producer.batch}[way]


async def beat(contender: Contender, place: Path, jobs: int) -> None:
    """Leave one job for the worker to begin with; then, at the word, send single jobs with rests between them."""
    await contender.prepare(place)
    async with contender.producer(place) as producer:
        await producer.send(tape.WARM_UP)
        say({})
        await told()
        await _beat(producer, jobs)
    say({})


async def _beat(producer: Producer, jobs: int) -> None:
    for _ in range(jobs):
        await asyncio.sleep(random.uniform(SHORTEST_GAP, LONGEST_GAP))
        await producer.send(time.monotonic_ns())


def work(contender: Contender, place: Path, recording: tape.Tape) -> None:
    """Do jobs until told to stop; then say what the tape holds and what is left in the queue."""
    tape.insert(recording)
    contender.work(place, told_to_stop())
    say({**recording.record(), "left": asyncio.run(contender.left(place))})


def serve(contender: Dialogue, place: Path) -> None:
    """Answer questions until told to stop; then say how many are left in the queue."""
    contender.work(place, told_to_stop())
    say({"left": asyncio.run(contender.left(place))})


def main(step: str, setting: str, name: str, place: Path, *more: str) -> None:
    """Take one step for one contender."""
    found = Entry(setting=setting, name=name).load()
    contender, dialogue = cast(Contender, found), cast(Dialogue, found)
    match step, more:
        case "produce", (ways, jobs, seconds, beats):
            amount = Amount(jobs=int(jobs), seconds=float(seconds), beats=int(beats))
            run(contender, produce(contender, place, ways, amount))
        case "beat", (jobs,):
            run(contender, beat(contender, place, int(jobs)))
        case "work", (counts, slot, skipped, expected):
            recording = tape.Tape(Path(counts), slot=int(slot), skipped=int(skipped), expected=int(expected))
            work(contender, place, recording)
        case "ask", (seconds, fewest):
            run(dialogue, ask(dialogue, place, float(seconds), int(fewest)))
        case "serve", ():
            serve(dialogue, place)
        case _:
            raise SystemExit(f"no such step: {step} {' '.join(more)}")


if __name__ == "__main__":
    own_pipes()
    main(sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4]), *sys.argv[5:])
