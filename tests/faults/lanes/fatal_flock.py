"""A worker that dies at the very moment at which a lane goes on without its head.

The package has no switch for this: what is to be fatal is wrapped here.
"""

import os
import signal
from collections.abc import Sequence
from typing import cast

from goatherd import Context, GiveUp, Goatherd, wiring
from goatherd.adapters.sqlite.dead_letters import SqliteDeadLetters
from goatherd.model.dead_letter import StoredLetter
from goatherd.model.lane import Exchange, Exchanged, GiveUpHead, OnExhausted
from goatherd.model.settings import Settings
from goatherd.ports.clock import Clock
from goatherd.wiring import execution
from tests.faults.lanes.journal import mark

#: When it dies, if at all, and what becomes of a lane whose head is given up.
MOMENT, POLICY = os.environ.get("FLOCK_DIES", ""), cast(OnExhausted, os.environ["FLOCK_POLICY"])
MOMENTS = (
    "before the store is told",
    "after the store was told",
    "before the letter is kept",
    "after the letter was kept",
)

app = Goatherd(os.environ.get("FLOCK_APP", "flock"))


@app.task(key="key", on_exhausted=POLICY)
async def tend(ctx: Context, key: str, number: int) -> None:
    """The second job of the first lane is hopeless."""
    mark("start", key, number)
    if (key, number) == ("a", 2):
        raise GiveUp("no luck")
    mark("end", key, number)


def die_at(moment: str) -> None:
    if moment == MOMENT:
        os.kill(os.getpid(), signal.SIGKILL)


open_lanes, keep = wiring.open_lanes, SqliteDeadLetters.keep


async def open_mortal(settings: Settings, clock: Clock) -> wiring.OpenLanes:
    opened = await open_lanes(settings, clock)
    exchange = opened.lanes.exchange

    async def mortal(told: Exchange) -> Exchanged:
        gives_up = any(isinstance(settlement, GiveUpHead) for settlement in told.settled)
        if gives_up:
            die_at(MOMENTS[0])
        answer = await exchange(told)
        if gives_up:
            die_at(MOMENTS[1])
        return answer

    setattr(opened.lanes, "exchange", mortal)  # noqa: B010 - it is somebody else's
    return opened


async def mortal_keep(self: SqliteDeadLetters, letters: Sequence[StoredLetter]) -> None:
    die_at(MOMENTS[2])
    await keep(self, letters)
    die_at(MOMENTS[3])


setattr(execution, "open_lanes", open_mortal)  # noqa: B010
setattr(SqliteDeadLetters, "keep", mortal_keep)  # noqa: B010
