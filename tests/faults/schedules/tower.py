"""The app whose ticks the crash run counts: a bell every second, and a ringer who rests after each of his rounds."""

import os
import random
import time
from collections.abc import AsyncIterator
from pathlib import Path

from goatherd import Goatherd, Retry
from goatherd.errors import Fenced
from goatherd.model.lane import Fence
from goatherd.sync import Context
from tests.faults.pipelines.effects import Effects
from tests.faults.pipelines.journal import JOURNAL

APP, BELL, ROUND = "tower", "strike", "walk"
#: Seconds between two strikes, and between the end of a round and the next one.
EVERY, RESTS = "TOWER_EVERY", "TOWER_RESTS"
#: The most by which the clock of a process may be wrong, in seconds.
SKEW = "TOWER_SKEW"
#: More ticks than there are: none is missed for good.
ALL = 1000

app = Goatherd(os.environ.get("TOWER_APP", APP))
effects = Effects()
_journal: list[int] = []
patient = Retry(30, base=0.05, max=0.5)


def mark(what: str, fence: Fence | None = None) -> None:
    """One unbuffered append, with the time of a clock that all processes of a machine share."""
    if not _journal:
        path = Path(os.environ[JOURNAL]) / f"{os.getpid()}.log"
        _journal.append(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT))
    unit, token = ("-", 0) if fence is None else (fence.key, fence.token)
    os.write(_journal[0], f"{what} {unit} {token} {time.monotonic()}\n".encode())


@app.every(float(os.environ.get(EVERY, "1")), overlap="allow", misfire=ALL, retry=patient, name=BELL)
def strike(ctx: Context) -> None:
    """Every tick has one effect."""
    effects.make(ctx)


if os.environ.get(RESTS):

    @app.every(float(os.environ[RESTS]), after_end=True, retry=patient, name=ROUND)
    def walk(ctx: Context) -> None:
        """Takes a while; never two at once."""
        mark("start", ctx.fence)
        time.sleep(random.uniform(0.1, 0.6))
        try:
            maker = effects.make(ctx)
        except Fenced:
            mark("fenced", ctx.fence)
            raise
        mark("end" if maker == ctx.fence.token else "found", ctx.fence)


def _wrong_clock(most: float) -> None:
    true, wrong_by = time.time, random.uniform(-most, most)
    setattr(time, "time", lambda: true() + wrong_by)  # noqa: B010 - for this process alone


if os.environ.get(SKEW):
    _wrong_clock(float(os.environ[SKEW]))


@app.lifespan
async def be_up() -> AsyncIterator[None]:
    """Tell that this process works."""
    mark("up")
    yield
