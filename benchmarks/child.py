"""The main program of every measured process: a producer or a worker of one contender.

It speaks JSON lines on standard output and listens to words on standard input; when that closes, it ends, so that
nothing is left behind when the frame dies.
"""

import asyncio
import json
import random
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import tape
from benchmarks.contender import Contender, Producer, SendAll
from benchmarks.settings import Entry

#: Seconds between two jobs of the idle measure; random, so that nobody who polls is met in step.
SHORTEST_GAP, LONGEST_GAP = 0.01, 0.03


async def produce(contender: Contender, place: Path, ways: str, jobs: int) -> dict[str, Any]:
    """Send so many jobs in each of the ways; tells the seconds of those that the contender has."""
    await contender.prepare(place)
    seconds: dict[str, float] = {}
    for way in ways.split(","):
        async with contender.producer(place) as producer:
            send_all = _way(producer, way)
            if send_all is not None:
                everything = [time.monotonic_ns()] * jobs
                began = time.perf_counter()
                await send_all(everything)
                seconds[way] = time.perf_counter() - began
    return {"seconds": seconds}


def _way(producer: Producer, way: str) -> SendAll | None:
    async def one_by_one(jobs: Sequence[int]) -> None:
        for sent in jobs:
            await producer.send(sent)

    return {"one_by_one": one_by_one, "at_once": producer.at_once, "batch": producer.batch}[way]


async def beat(contender: Contender, place: Path, jobs: int) -> dict[str, Any]:
    """Leave one job for the worker to begin with; then, at the word, send single jobs with rests between them."""
    await contender.prepare(place)
    async with contender.producer(place) as producer:
        await producer.send(tape.WARM_UP)
        _say({})
        await asyncio.to_thread(sys.stdin.readline)
        for _ in range(jobs):
            await asyncio.sleep(random.uniform(SHORTEST_GAP, LONGEST_GAP))
            await producer.send(time.monotonic_ns())
    return {}


def work(contender: Contender, place: Path, counts: Path, slot: int, expected: int) -> dict[str, Any]:
    """Do jobs until told to stop; then say what the tape holds and what is left in the queue."""
    recording = tape.Tape(counts, slot=slot, expected=expected)
    tape.insert(recording)
    stop = threading.Event()
    threading.Thread(target=_listen, args=(stop,), name="listen to the frame", daemon=True).start()
    contender.work(place, stop)
    return {**recording.record(), "left": asyncio.run(contender.left(place))}


def _listen(stop: threading.Event) -> None:
    """Tell the processor time whenever asked, until the frame says stop or goes away."""
    for line in sys.stdin:
        if line.strip() == "cpu":
            _say({"cpu_ns": time.process_time_ns()})
        else:
            break
    stop.set()


def _say(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def main(step: str, setting: str, name: str, place: Path, *more: str) -> None:
    """Take one step for one contender."""
    contender = Entry(setting=setting, name=name).load()
    match step, more:
        case "produce", (ways, jobs):
            answer = asyncio.run(produce(contender, place, ways, int(jobs)))
        case "beat", (jobs,):
            answer = asyncio.run(beat(contender, place, int(jobs)))
        case "work", (counts, slot, expected):
            answer = work(contender, place, Path(counts), int(slot), int(expected))
        case _:
            raise SystemExit(f"no such step: {step} {' '.join(more)}")
    _say(answer)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4]), *sys.argv[5:])
