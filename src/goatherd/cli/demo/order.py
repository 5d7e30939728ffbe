"""The scene of jobs that share a key: one at a time, in order, and a failure holds up only its own lane."""

import asyncio
import time

from goatherd.cli.demo.shop import app, pack
from goatherd.cli.demo.stage import PATIENCE, SceneFailed, Stage
from goatherd.desk import lanes
from goatherd.desk.lane_looks import LaneFacts

ORDERS, STEPS = 3, 5
#: The order whose third step fails.
STUCK = 2


async def order(stage: Stage) -> None:
    """What shares a key is done in the order in which it was sent."""
    stage.open_scene("Order", '@app.task(key="order_id")\nasync def pack(order_id: int, step: int): ...')
    await app.send_many(
        pack.job(order_id=number, step=step) for step in range(1, STEPS + 1) for number in range(1, ORDERS + 1)
    )
    lane = await _held_lane(stage)
    await stage.until("the other orders", lambda: sum(len(_steps(stage, number)) for number in (1, 3)) == 2 * STEPS)
    told = lane.burial.message if lane.burial is not None else ""
    await stage.check(
        "a failed step holds up its own lane alone", _steps(stage, STUCK) == [1, 2], f"{lane.shown} is held: {told}"
    )
    stage.put("tape")
    await stage.say(f"Somebody brings tape: goatherd lanes retry shop:app {lane.shown}")
    await lanes.retry(app, lane.key)
    await stage.until("the stuck order", lambda: len(_steps(stage, STUCK)) == STEPS)
    right = list(range(1, STEPS + 1))
    in_order = all(_steps(stage, number) == right for number in range(1, ORDERS + 1))
    await stage.check("every order was packed step by step", in_order, f"{ORDERS} lanes, {STEPS} steps each")


def _steps(stage: Stage, number: int) -> list[int]:
    return [note["step"] for note in stage.notes("packed") if note["packed"] == number]


async def _held_lane(stage: Stage) -> LaneFacts:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        held = [lane for lane in await lanes.lanes(app) if lane.condition == "held"]
        if held:
            return held[0]
        await asyncio.sleep(0.02)
    raise SceneFailed(f"no lane was held. {stage.last_words()}")
