"""Stories: a worker claims what it can start, and looks again when there may be more."""

import asyncio

import pytest

from goatherd.errors import Unavailable
from goatherd.model.lane import GiveUpHead
from tests.unit.engine.hand_lanes import claim
from tests.unit.engine.lane_desk import Desk, heads, settled_down
from tests.unit.engine.stage import PATIENCE


async def test_it_watches_its_queues_and_asks_at_once(desk: Desk) -> None:
    assert desk.lanes.watched == [["comments", "likes"]]
    [first, *_] = desk.lanes.exchanges
    assert (first.worker, first.number, first.wanted, first.lease) == ("w1", 1, 4, 60.0)
    assert sorted(first.queues) == ["comments", "likes"]


async def test_a_delivery_tells_what_the_lane_told(desk: Desk) -> None:
    desk.lanes.offer(claim("a", token=7, seq=3, deaths=2, accepted=5.0))
    [delivery] = await desk.has(1)
    assert (delivery.message.id, delivery.message.queue) == ("a", "comments")
    assert (delivery.deaths, delivery.accepted) == (2, 5.0)
    assert delivery.tag.ticket().fence.token == 7


async def test_no_more_are_claimed_than_can_start(desk: Desk) -> None:
    desk.lanes.offer(*heads(6))
    deliveries = await desk.has(4)
    for delivery in deliveries:
        desk.begin(delivery)
    desk.lanes.wake()
    await settled_down()
    assert len(desk.deliveries) == 4
    desk.end(deliveries[0])
    desk.source.ack(deliveries[0])
    desk.leave(deliveries[0])
    await desk.has(5)
    assert desk.lanes.exchanges[-1].wanted == 1


async def test_claims_that_wait_for_their_turn_count(desk: Desk) -> None:
    desk.lanes.offer(*heads(2))
    await desk.has(2)
    desk.lanes.offer(claim("later", "comments/post_id=9"))
    await desk.has(3)
    assert desk.lanes.exchanges[-1].wanted == 2


async def test_at_least_one_is_claimed_though_others_fill_the_worker(desk: Desk) -> None:
    desk.running = {"unkeyed 1", "unkeyed 2", "unkeyed 3", "unkeyed 4"}
    desk.lanes.offer(*heads(3))
    await desk.has(1)
    await settled_down()
    assert len(desk.deliveries) == 1


async def test_room_that_opens_when_a_job_begins_is_used(desk: Desk) -> None:
    desk.slots = 2
    desk.lanes.offer(*heads(1))
    [delivery] = await desk.has(1)
    # It has its place, but has not begun: what is written first takes a while.
    desk.running.add(delivery.message.id)
    desk.lanes.offer(claim("b", "comments/post_id=9"))
    await settled_down()
    assert len(desk.deliveries) == 1
    desk.source.begin(delivery)
    await desk.has(2)


async def test_a_job_that_was_lost_while_it_ran_makes_no_room_until_it_has_ended(desk: Desk) -> None:
    desk.slots = 2
    desk.lanes.offer(*heads(1))
    [delivery] = await desk.has(1)
    desk.begin(delivery)
    desk.lanes.gone.add(delivery.tag.claim.hold)
    await desk.source.beat()
    desk.lanes.offer(*heads(3))
    await desk.has(2)
    await settled_down()
    assert len(desk.deliveries) == 2
    desk.end(delivery)
    desk.leave(delivery)
    await desk.has(3)
    await settled_down()
    assert len(desk.deliveries) == 3


async def test_a_full_answer_is_followed_by_another_question(desk: Desk) -> None:
    desk.lanes.offer(*heads(4))
    deliveries = await desk.has(4)
    for delivery in deliveries:
        desk.begin(delivery)
        desk.end(delivery)
        desk.source.ack(delivery)
        desk.leave(delivery)
    desk.lanes.ready = heads(1)
    await desk.has(5)


async def takes_from(desk: Desk, queues: list[str]) -> None:
    """Return when only these are claimed from; lanes do not wait to be told what is paused."""
    async with asyncio.timeout(PATIENCE):
        while list(desk.lanes.exchanges[-1].queues) != queues:
            desk.lanes.wake()
            await desk.lanes.notes.saw("exchanged", len(desk.lanes.exchanges) + 1)


async def test_paused_queues_are_left_alone(desk: Desk) -> None:
    await desk.lanes.notes.saw("exchanged")
    desk.paused = frozenset({"likes"})
    await takes_from(desk, ["comments"])
    desk.paused = frozenset({"likes", "comments"})
    await takes_from(desk, [])
    assert desk.lanes.exchanges[-1].wanted == 0


async def test_pauses_that_cannot_be_seen_stop_nothing(desk: Desk) -> None:
    desk.paused = Unavailable("the broker is away")
    desk.lanes.offer(*heads(1))
    await desk.has(1)


async def test_queues_take_turns_in_being_first(desk: Desk) -> None:
    desk.lanes.wake()
    await desk.lanes.notes.saw("exchanged", 2)
    assert [exchange.queues[0] for exchange in desk.lanes.exchanges[:2]] == ["comments", "likes"]


async def test_it_looks_again_when_something_falls_due(desk: Desk) -> None:
    desk.lanes.next_due = 3600.0
    desk.lanes.wake()
    await desk.lanes.notes.saw("exchanged", 2)
    desk.clock.advance(3600)
    await desk.lanes.notes.saw("exchanged", 3)


async def test_a_lost_wake_up_costs_a_moment(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goatherd.engine.lane_trade.LOOK_EVERY", 0.02)
    desk.lanes.wake()
    await desk.lanes.notes.saw("exchanged", 2)
    desk.lanes.ready = heads(1)
    await desk.has(1)


async def test_content_that_nobody_reads_is_given_up(desk: Desk) -> None:
    desk.lanes.offer(claim("odd", content=b"\xff\xff"), *heads(1))
    [delivery] = await desk.has(1)
    assert delivery.message.id == "job 0"
    await desk.lanes.notes.saw("exchanged", 3)
    [settlement] = desk.lanes.settled()
    assert isinstance(settlement, GiveUpHead)
    assert settlement.burial.reason == "unparsable"
