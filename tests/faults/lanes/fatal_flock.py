"""A worker that dies at the very moment at which a lane goes on without its head. The package has no switch for this."""

import os
import signal
from typing import Any

from goatherd import Context, GiveUp, Goatherd, wiring
from goatherd.adapters.sqlite.dead_letters import SqliteDeadLetters
from goatherd.model.lane import Exchange, Exchanged, GiveUpHead
from tests.faults.lanes.journal import mark

#: When it dies, if at all, and what becomes of a lane whose head is given up.
MOMENT, POLICY = os.environ.get("FLOCK_DIES", ""), os.environ["FLOCK_POLICY"]
MOMENTS = (
    "before the store is told",
    "after the store was told",
    "before the letter is kept",
    "after the letter was kept",
)

app = Goatherd("flock")


@app.task(key="key", on_exhausted=POLICY)  # type: ignore[arg-type]  # one of the three
async def tend(ctx: Context, key: str, number: int) -> None:
    """The second job of the first lane is hopeless."""
    mark("start", key, number)
    if (key, number) == ("a", 2):
        raise GiveUp("no luck")
    mark("end", key, number)


def die_at(moment: str) -> None:
    if moment == MOMENT:
        os.kill(os.getpid(), signal.SIGKILL)


open_lanes = wiring.open_lanes
keep = SqliteDeadLetters.keep


async def open_mortal(*arguments: Any) -> wiring.OpenLanes:
    opened = await open_lanes(*arguments)
    exchange = opened.lanes.exchange

    async def mortal(told: Exchange) -> Exchanged:
        gives_up = any(isinstance(settlement, GiveUpHead) for settlement in told.settled)
        if gives_up:
            die_at(MOMENTS[0])
        answer = await exchange(told)
        if gives_up:
            die_at(MOMENTS[1])
        return answer

    opened.lanes.exchange = mortal  # type: ignore[method-assign]
    return opened


async def mortal_keep(self: SqliteDeadLetters, *arguments: Any) -> None:
    die_at(MOMENTS[2])
    await keep(self, *arguments)
    die_at(MOMENTS[3])


wiring.open_lanes = open_mortal
SqliteDeadLetters.keep = mortal_keep  # type: ignore[method-assign]
