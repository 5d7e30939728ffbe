"""The pipeline whose workers the crash run kills and freezes, and the app that its workers load.

Everything that a step gives carries the token of the attempt that gave it: so the result of a run names, for every unit
of it, the one attempt that counted.
"""

import os
import random
import time
from collections.abc import AsyncIterator

import msgspec

from goatherd import Context, Goatherd, Pipeline, Retry
from goatherd.engine import conductor
from goatherd.sync import Context as BlockingContext
from tests.faults.pipelines.copies import open_with_copies
from tests.faults.pipelines.effects import Effects
from tests.faults.pipelines.journal import mark

APP, BATCH, AT_ONCE = "drive", 4, 3
#: The part of batches that fail and are tried again goat by goat.
FAILS = 0.05
#: Milliseconds that an attempt takes at most; it takes at least a tenth.
LASTS = "DRIVE_LASTS"
#: Seconds after which workers are told again of a unit that nobody has claimed; nothing: as in the package.
TELL_AGAIN = "DRIVE_TELL_AGAIN"

#: Attempts by step: the token of each.
Marks = dict[str, int]


class Herd(msgspec.Struct):
    """What a run begins with."""

    goats: int


class Goat(msgspec.Struct):
    """An item."""

    number: int
    marks: Marks


class Report(msgspec.Struct):
    """What a run ends with."""

    marks: Marks
    goats: list[Goat]


def declare(app: Goatherd) -> Pipeline[Herd, Report]:
    """A plain step, a list, batches, single items a few at a time, a join, and a last step."""
    drive = app.pipeline("drive", takes=Herd, gives=Report)
    patient = Retry(30, base=0.05, max=0.5)
    effects = Effects()

    @drive.step(after=drive.input, retry=patient)
    def gather(ctx: BlockingContext, herd: Herd) -> int:
        return work(ctx, effects)

    @drive.step(after=(gather, drive.input), retry=patient)
    def count(ctx: BlockingContext, gathered: int, herd: Herd) -> list[Goat]:
        marks = {"gather": gathered, "count": work(ctx, effects)}
        return [Goat(number, marks) for number in range(herd.goats)]

    @drive.map(over=count, batch=BATCH, retry=patient)
    async def wash(ctx: Context, goats: list[Goat]) -> list[Goat]:
        mark("start", ctx.fence)
        if random.random() < FAILS:
            raise ConnectionError("no water")
        mark("end", ctx.fence)
        return [marked(goat, "wash", ctx.fence.token) for goat in goats]

    @drive.map(over=wash, concurrency=AT_ONCE, retry=patient)
    def shear(ctx: BlockingContext, goat: Goat) -> Goat:
        return marked(goat, "shear", work(ctx, effects))

    @drive.step(after=(shear, gather), retry=patient)
    def pen(ctx: BlockingContext, goats: list[Goat], gathered: int) -> Report:
        return Report({"pen": work(ctx, effects), "gather": gathered}, goats)

    @drive.step(after=pen, retry=patient)
    def close(ctx: BlockingContext, report: Report) -> Report:
        return Report({**report.marks, "close": work(ctx, effects)}, report.goats)

    return drive


def work(ctx: BlockingContext, effects: Effects) -> int:
    """Take a while, and have an effect; gives the token of the attempt whose effect it was."""
    mark("start", ctx.fence)
    time.sleep(float(os.environ[LASTS]) * random.uniform(0.1, 1) / 1000)
    token = effects.make(ctx)
    mark("end", ctx.fence)
    return token


def marked(goat: Goat, step: str, token: int) -> Goat:
    return Goat(goat.number, {**goat.marks, step: token})


app = Goatherd(APP)
drive = declare(app)
app.opener = open_with_copies

if os.environ.get(TELL_AGAIN):
    setattr(conductor, "AGAIN_AFTER", float(os.environ[TELL_AGAIN]))  # noqa: B010 - the package has no switch for it


@app.lifespan
async def be_up() -> AsyncIterator[None]:
    mark("up", None)
    yield
