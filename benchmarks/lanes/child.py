"""The main program of every measured process of contenders with keys: one that sends, or a worker."""

import asyncio
import random
import sys
import time
from pathlib import Path
from typing import cast

from benchmarks import tape
from benchmarks.child import LONGEST_GAP, SHORTEST_GAP, work
from benchmarks.contender import Contender
from benchmarks.lanes.contender import Keyed, Ordered, Sender
from benchmarks.loops import run
from benchmarks.pipes import own_pipes, say, told, told_to_stop
from benchmarks.settings import Entry

#: Jobs that are sent between two words to the frame, where there are very many.
CHUNK = 10_000


async def fill(contender: Ordered, place: Path, jobs: int, keys: int, beats: int) -> None:
    """Send jobs, to each key in turn; tells the rate. Then, at the word, single jobs with rests between them."""
    await contender.prepare(place)
    async with contender.sending(place) as sender:
        everything = [keyed(number, keys) for number in range(1, jobs + 1)]
        began = time.perf_counter()
        await sender.many(everything)
        say({"fill": jobs / (time.perf_counter() - began)})
        await told()
        await _beat(sender, keys, beats)
    say({})


async def _beat(sender: Sender, keys: int, jobs: int) -> None:
    await sender.one(Keyed(0, tape.WARM_UP))
    for number in range(jobs):
        await asyncio.sleep(random.uniform(SHORTEST_GAP, LONGEST_GAP))
        await sender.one(Keyed(number % keys, time.monotonic_ns()))


async def flood(contender: Ordered, place: Path, jobs: int) -> None:
    """At every word send a job to each of very many new keys; tells now and then how many there are."""
    await contender.prepare(place)
    async with contender.sending(place) as sender:
        say({"sent": 0})
        before = 0
        while await told():
            for first in range(1, jobs + 1, CHUNK):
                last = min(first + CHUNK - 1, jobs)
                await sender.many([Keyed(before + number, number) for number in range(first, last + 1)])
                say({"sent": last})
            before += jobs


def ebb(contender: Ordered, place: Path, recording: tape.Tape) -> None:
    """Do very many jobs until told to stop; then say how many there were, and what is left."""
    tape.insert(recording)
    contender.work(place, told_to_stop())
    say({**recording.span(), "left": asyncio.run(contender.left(place))})


def keyed(number: int, keys: int) -> Keyed:
    """The job of that number, counted from 1."""
    return Keyed((number - 1) % keys, number)


def main(step: str, setting: str, name: str, place: Path, *more: str) -> None:
    """Take one step for one contender."""
    contender = cast(Ordered, Entry(setting=setting, name=name).load())
    match step, more:
        case "fill", (jobs, keys, beats):
            run(contender, fill(contender, place, int(jobs), int(keys), int(beats)))
        case "flood", (jobs,):
            run(contender, flood(contender, place, int(jobs)))
        case "work", (counts, skipped, expected):
            # It works as every contender does; only the sender differs.
            recording = tape.Tape(Path(counts), skipped=int(skipped), expected=int(expected))
            work(cast(Contender, contender), place, recording)
        case "ebb", (counts, expected):
            ebb(contender, place, tape.Tape(Path(counts), expected=int(expected)))
        case _:
            raise SystemExit(f"no such step: {step} {' '.join(more)}")


if __name__ == "__main__":
    own_pipes()
    main(sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4]), *sys.argv[5:])
