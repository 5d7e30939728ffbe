"""The asking side of a dialogue: one question at a time, then many at once."""

import os
import time
from math import ceil
from pathlib import Path

from benchmarks.contender import AskAll, Dialogue
from benchmarks.cpu import family_ns
from benchmarks.pipes import say, told
from benchmarks.questions import Questions

#: Questions on their way at once.
AT_ONCE = 100
#: Questions to begin with, of which the first also waits for the server.
WARM_UP = 300
#: Questions that are enough to time even the fastest.
MOST = 50_000


async def ask(contender: Dialogue, place: Path, seconds: float, fewest: int) -> None:
    """Say what single questions take; then, at the word, ask many at once and say what that took."""
    await contender.prepare(place)
    async with contender.asking(place) as ask_all:
        await ask_all(Questions(1), 1)
        await ask_all(Questions(WARM_UP), AT_ONCE)
        alone = Questions(await _enough(ask_all, 1, seconds, fewest))
        await ask_all(alone, 1)
        count = await _enough(ask_all, AT_ONCE, seconds, max(fewest, AT_ONCE))
        say({"latencies": alone.milliseconds, "count": count})
        await told()
        together = Questions(count)
        began, used = time.perf_counter(), family_ns(os.getpid())
        await ask_all(together, AT_ONCE)
        say({"seconds": time.perf_counter() - began, "cpu_ns": family_ns(os.getpid()) - used})


async def _enough(ask_all: AskAll, at_once: int, seconds: float, fewest: int) -> int:
    """How many fill the time, by how long a few take."""
    began = time.perf_counter()
    await ask_all(Questions(fewest), at_once)
    return max(fewest, min(MOST, ceil(fewest * seconds / (time.perf_counter() - began))))
