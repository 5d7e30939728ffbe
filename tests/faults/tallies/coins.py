"""The app of the coin runs: what viewers give is counted for each streamer, and its totals are written down.

Whoever flushes dies at the moment that COINS_DIES names. The package has no switch for this: it is wrapped here.
"""

import asyncio
import os
import random
import signal
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from goatherd import Goatherd, Retry
from goatherd.model.lane import LaneItem
from goatherd.model.settings import Settings
from goatherd.model.tally import Batch, Sealed
from goatherd.ports.clock import Clock
from goatherd.ports.tallies import Tallies
from goatherd.sync import Context
from goatherd.wiring import recurring
from tests.faults.tallies.accounts import write_down

MOMENT = os.environ.get("COINS_DIES", "")

app = Goatherd(os.environ.get("COINS_APP", "coins"), retry=Retry(10, base=0.05))
gifts = app.tally("gifts")


@gifts.flush(every=float(os.environ.get("COINS_EVERY", "0.2")))
def apply_gifts(ctx: Context, streamer: str, total: int) -> None:
    """In one transaction with the fence."""
    write_down(ctx, streamer, total)


@app.lifespan
async def be_up() -> AsyncIterator[None]:
    tell_up()
    yield


def tell_up() -> None:
    """From now on it may be killed with some effect."""
    (Path(os.environ["COINS_UP"]) / f"up-{os.getpid()}").touch()


def die_at(moment: str) -> None:
    if moment == MOMENT:
        os.kill(os.getpid(), signal.SIGKILL)


open_tallies = recurring.open_tallies


async def open_mortal(settings: Settings, clock: Clock) -> Tallies:
    tallies = await open_tallies(settings, clock)
    seal, post = tallies.seal, tallies.post

    async def mortal_seal(tally: str, every: float, limit: int) -> Sealed:
        if (await tallies.waiting(tally))[1] > 0:
            if MOMENT == "while totals are set apart":
                await soon_dead(asyncio.ensure_future(seal(tally, every, limit)))
            die_at("before totals are set apart")
        sealed = await seal(tally, every, limit)
        if sealed.batches:
            die_at("after totals were set apart")
        return sealed

    async def mortal_post(tally: str, batches: Sequence[tuple[Batch, LaneItem]]) -> int:
        die_at("before they are posted")
        if MOMENT == "while they are posted":
            await soon_dead(asyncio.ensure_future(post(tally, batches)))
        if MOMENT == "when some are posted":
            await post(tally, batches[: len(batches) // 2])
            die_at(MOMENT)
        put = await post(tally, batches)
        die_at("after they were posted")
        return put

    setattr(tallies, "seal", mortal_seal)  # noqa: B010 - it is somebody else's
    setattr(tallies, "post", mortal_post)  # noqa: B010
    return tallies


async def soon_dead(_doing: "asyncio.Future[object]") -> None:
    """Die while it is under way, or just before or after."""
    await asyncio.sleep(random.choice([0.0, 0.0, 0.0005, 0.001, 0.003]))
    os.kill(os.getpid(), signal.SIGKILL)


if MOMENT:
    setattr(recurring, "open_tallies", open_mortal)  # noqa: B010
