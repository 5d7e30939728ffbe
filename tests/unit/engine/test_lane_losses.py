"""Stories: a worker loses its lanes, or gives them back at its end."""

import asyncio

import pytest

from goatherd.errors import Unavailable
from goatherd.model.lane import Commit, Release
from tests.unit.engine.hand_lanes import AWAY, claim
from tests.unit.engine.lane_desk import Desk, heads, settled_down


async def test_a_lane_that_others_have_is_lost_and_said(desk: Desk) -> None:
    desk.lanes.offer(*heads(2))
    first, second = await desk.has(2)
    desk.lanes.gone.add(first.tag.claim.hold)
    await desk.source.beat()
    assert desk.lost == ["job 0"]
    assert desk.source.is_lost(first)
    assert not desk.source.is_lost(second)
    asked = len(desk.lanes.exchanges)
    desk.source.ack(first)
    await desk.source.hand_back([first])
    assert len(desk.lanes.exchanges) == asked


async def test_a_lane_that_comes_again_before_its_loss_was_noticed_is_lost_first(desk: Desk) -> None:
    desk.lanes.offer(claim("a", token=1))
    [old] = await desk.has(1)
    desk.lanes.offer(claim("a", token=2, deaths=1))
    _, new = await desk.has(2)
    assert desk.lost == ["a"]
    assert desk.source.is_lost(old)
    assert not desk.source.is_lost(new)
    desk.source.ack(new)
    await settled_down()
    assert [settlement.hold.token for settlement in desk.lanes.settled()] == [2]


async def test_to_ask_whether_a_lane_is_still_ours_does_not_shorten_its_lease(desk: Desk) -> None:
    desk.lanes.offer(*heads(1))
    [delivery] = await desk.has(1)
    assert await delivery.tag.is_still_ours()
    assert desk.lanes.leases[-1] == desk.lanes.exchanges[0].lease


async def test_a_settlement_that_came_too_late_makes_it_lost(desk: Desk) -> None:
    desk.lanes.offer(*heads(1))
    [delivery] = await desk.has(1)
    desk.lanes.gone.add(delivery.tag.claim.hold)
    await desk.source.replace(delivery, delivery.message)
    assert desk.source.is_lost(delivery)


async def test_a_lease_that_ran_out_by_our_clock_is_lost_though_nobody_said_so(desk: Desk) -> None:
    desk.lanes.offer(*heads(1))
    [delivery] = await desk.has(1)
    delivery.tag.until = asyncio.get_running_loop().time() - 1
    assert desk.source.is_lost(delivery)


async def test_stopped_it_claims_nothing_but_settles_what_it_has(desk: Desk) -> None:
    desk.lanes.offer(*heads(1))
    [delivery] = await desk.has(1)
    await desk.source.stop()
    await desk.lanes.notes.saw("unwatched")
    desk.lanes.ready = heads(3)
    desk.lanes.wake()
    desk.source.ack(delivery)
    await desk.source.close(5.0)
    assert len(desk.deliveries) == 1
    assert [type(settlement) for settlement in desk.lanes.settled()] == [Commit]


async def test_closed_it_gives_back_what_it_has(desk: Desk) -> None:
    desk.lanes.offer(*heads(3))
    first, *_ = await desk.has(3)
    desk.source.ack(first)
    await desk.source.stop()
    await desk.source.close(5.0)
    assert [type(settlement) for settlement in desk.lanes.settled()] == [Commit, Release, Release]


async def test_closing_does_not_wait_for_a_store_that_is_away(desk: Desk) -> None:
    desk.lanes.offer(*heads(2))
    first, _ = await desk.has(2)
    desk.lanes.planned["exchange"] = [AWAY] * 1000
    waiting = asyncio.create_task(desk.source.replace(first, first.message))
    await settled_down()
    async with asyncio.timeout(20):
        await desk.source.stop()
        await desk.source.close(5.0)
        with pytest.raises(Unavailable):
            await waiting


async def test_closing_does_not_wait_for_a_store_that_does_not_answer(desk: Desk) -> None:
    desk.lanes.offer(*heads(1))
    [delivery] = await desk.has(1)
    desk.lanes.plan("exchange", asyncio.Event())
    waiting = asyncio.create_task(desk.source.replace(delivery, delivery.message))
    await settled_down()
    async with asyncio.timeout(20):
        await desk.source.stop()
        await desk.source.close(0.05)
        with pytest.raises(Unavailable):
            await waiting


async def test_nothing_is_left_of_it_not_even_letters_that_take_long(desk: Desk) -> None:
    desk.held_up = asyncio.Event()
    desk.lanes.waiting_letters = True
    desk.lanes.wake()
    await desk.notes.saw("carried")
    await desk.source.stop()
    await desk.source.close(0.05)
    await settled_down()
    assert not [task.get_name() for task in asyncio.all_tasks() if task.get_name().startswith("goatherd")]
