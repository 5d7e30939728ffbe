"""Stories: a worker that tells the store what is done takes what that made ready, without waiting to be called."""

import asyncio
import logging

import pytest

from goatherd.engine.lane_source import Held
from goatherd.model.lane import Commit
from tests.unit.engine.hand_lanes import claim
from tests.unit.engine.lane_desk import Desk


async def test_the_next_of_a_lane_is_claimed_with_the_end_of_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goatherd.engine.lane_trade.LOOK_EVERY", 3600.0)
    desk = Desk()
    await desk.open()
    desk.lanes.offer(claim("first"))
    [first] = await desk.has(1)
    desk.begin(first)
    # Its lane is ready again as soon as it is settled, and nobody calls.
    desk.lanes.ready = [claim("second", token=2, seq=2)]
    desk.source.ack(first)
    desk.end(first)
    await asyncio.wait_for(desk.has(2), 10)
    [both] = [exchange for exchange in desk.lanes.exchanges if exchange.settled]
    assert (both.settled, both.wanted > 0) == ([Commit(hold=claim("first").hold)], True)
    await desk.source.close(1.0)


@pytest.mark.parametrize("moved_on", [True, False])
async def test_a_job_that_moved_its_lane_on_itself_is_not_told_to_be_late(
    moved_on: bool, caplog: pytest.LogCaptureFixture
) -> None:
    desk = Desk()
    await desk.open()
    desk.lanes.offer(claim("first"))
    [first] = await desk.has(1)
    held = first.tag
    assert isinstance(held, Held)
    held.ticket().used = moved_on
    desk.lanes.gone.add(claim("first").hold)
    before = len(desk.lanes.exchanges)
    with caplog.at_level(logging.WARNING):
        desk.source.ack(first)
        await desk.lanes.notes.saw("exchanged", before + 1)
        await desk.source.close(1.0)
    assert ("had been done when its lane" in caplog.text) is not moved_on
