"""Stories: a worker claims what it can start, keeps it, settles it in batches, and loses it in order."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import pytest

from goatherd.engine.lane_source import LaneHabits, LaneSource
from goatherd.errors import Unavailable
from goatherd.model.dead_letter import Burial
from goatherd.model.lane import Commit, GiveUpHead, Release, TryAgain, unpacked
from goatherd.model.message import Delivery, Message
from tests.unit.engine.hand_lanes import AWAY, HandLanes, claim
from tests.unit.engine.stage import HandClock, Notes


class Desk:
    """A worker that takes deliveries and does what the test says."""

    def __init__(self) -> None:
        self.lanes = HandLanes()
        self.clock = HandClock()
        self.notes = Notes()
        self.slots = 4
        self.running: set[str] = set()
        self.deliveries: list[Delivery] = []
        self.lost: list[str] = []
        self.paused: frozenset[str] | Exception = frozenset()
        self.letters: Callable[[], None] = lambda: None
        habits = LaneHabits(
            worker="w1",
            queues=["comments", "likes"],
            lease=60.0,
            paused=self._look_at_pauses,
            carry_letters=self._carry,
        )
        self.source = LaneSource(self.lanes, self.clock, habits)

    async def open(self) -> None:
        await self.source.start(self._deliver, lambda: self.slots - len(self.running), self._lose)

    async def has(self, count: int) -> list[Delivery]:
        await self.notes.saw("delivered", count)
        return self.deliveries

    def begin(self, delivery: Delivery) -> None:
        self.running.add(delivery.message.id)
        self.source.begin(delivery)

    def end(self, delivery: Delivery) -> None:
        self.source.end(delivery)

    def leave(self, delivery: Delivery) -> None:
        """Its place is free again."""
        self.running.discard(delivery.message.id)
        self.source.nudge()

    def _deliver(self, deliveries: Sequence[Delivery]) -> None:
        self.deliveries += deliveries
        for _ in deliveries:
            self.notes("delivered")

    def _lose(self, delivery: Delivery) -> None:
        self.lost.append(delivery.message.id)
        self.notes("lost")

    async def _look_at_pauses(self) -> frozenset[str]:
        if isinstance(self.paused, Exception):
            raise self.paused
        return self.paused

    async def _carry(self) -> None:
        self.notes("carried")
        self.letters()


@pytest.fixture
async def desk(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Desk]:
    pauses = {"FIRST_PAUSE": 0.01, "LONGEST_PAUSE": 0.02, "PAUSES_EVERY": 0.0, "LOOK_EVERY": 3600.0}
    for name, seconds in pauses.items():
        monkeypatch.setattr(f"goatherd.engine.lane_trade.{name}", seconds)
    desk = Desk()
    await desk.open()
    await desk.lanes.notes.saw("exchanged")
    yield desk
    desk.lanes.planned["exchange"] = []
    await desk.source.stop()
    await desk.source.close(5.0)


def heads(count: int, **said: Any) -> list[Any]:
    return [claim(f"job {number}", f"comments/post_id={number}", **said) for number in range(count)]


def burial(reason: Any = "failed") -> Burial:
    return Burial(reason=reason, error_type="ValueError", message="no", attempts=1, failed_at=1.0)


# --- claims -----------------------------------------------------------------------------------------


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


async def test_paused_queues_are_left_alone(desk: Desk) -> None:
    desk.paused = frozenset({"likes"})
    desk.lanes.wake()
    await desk.lanes.notes.saw("exchanged", 2)
    assert desk.lanes.exchanges[-1].queues == ["comments"]
    desk.paused = frozenset({"likes", "comments"})
    desk.lanes.wake()
    await desk.lanes.notes.saw("exchanged", 3)
    assert (desk.lanes.exchanges[-1].queues, desk.lanes.exchanges[-1].wanted) == ((), 0) or (
        desk.lanes.exchanges[-1].wanted == 0
    )


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


# --- settling ---------------------------------------------------------------------------------------


async def test_what_is_settled_meanwhile_goes_together(desk: Desk) -> None:
    desk.lanes.offer(*heads(4))
    first, *others = await desk.has(4)
    gate = asyncio.Event()
    desk.lanes.plan("exchange", gate)
    asked = len(desk.lanes.exchanges)
    desk.source.ack(first)
    await desk.lanes.notes.saw("exchanged", asked + 1)
    for delivery in others:
        desk.source.ack(delivery)
    gate.set()
    await desk.lanes.notes.saw("exchanged", asked + 2)
    assert [len(exchange.settled) for exchange in desk.lanes.exchanges[asked:]] == [1, 3]
    assert all(isinstance(settlement, Commit) for settlement in desk.lanes.settled())


async def test_a_retry_goes_back_with_what_it_says_and_its_delay(desk: Desk) -> None:
    desk.lanes.offer(*heads(1))
    [delivery] = await desk.has(1)
    following = Message(id="job 0", queue="comments", body=b"again", due=desk.clock.now() + 12)
    await desk.source.replace(delivery, following)
    [settlement] = desk.lanes.settled()
    assert isinstance(settlement, TryAgain)
    assert settlement.delay == 12
    message = unpacked(settlement.content)
    assert (message.body, message.due) == (b"again", None)


async def test_a_retry_that_is_due_waits_no_time(desk: Desk) -> None:
    desk.lanes.offer(*heads(1))
    [delivery] = await desk.has(1)
    await desk.source.replace(delivery, Message(id="job 0", queue="comments", body=b"", due=desk.clock.now() - 5))
    assert desk.lanes.settled()[0].delay == 0


async def test_handed_back_is_released(desk: Desk) -> None:
    desk.lanes.offer(*heads(2))
    await desk.source.hand_back(await desk.has(2))
    assert [type(settlement) for settlement in desk.lanes.settled()] == [Release, Release]


@pytest.mark.parametrize(("reason", "policy"), [("failed", None), ("crashed", None), ("expired", "skip")])
async def test_who_is_given_up_follows_the_lanes_policy_unless_nobody_wants_it(
    desk: Desk, reason: str, policy: str | None
) -> None:
    desk.lanes.offer(*heads(1))
    [delivery] = await desk.has(1)
    await desk.source.bury(delivery, burial(reason))
    [settlement] = desk.lanes.settled()
    assert isinstance(settlement, GiveUpHead)
    assert (settlement.policy, settlement.burial.reason) == (policy, reason)


async def test_a_held_lane_is_said_once_it_is_held(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    desk.lanes.offer(*heads(2))
    first, second = await desk.has(2)
    desk.lanes.gone.add(second.tag.claim.hold)
    with caplog.at_level(logging.ERROR, "goatherd.lanes"):
        await desk.source.bury(first, burial())
        await desk.source.bury(second, burial())
    assert caplog.text.count("is held until") == 1
    assert "Lane post_id=0 is held" in caplog.text


async def test_letters_are_carried_when_the_store_says_that_there_are_some(desk: Desk) -> None:
    desk.lanes.waiting_letters = True
    desk.lanes.wake()
    await desk.notes.saw("carried")


@pytest.mark.parametrize("trouble", [AWAY, ZeroDivisionError("ours")])
async def test_letters_that_cannot_be_carried_are_tried_again(desk: Desk, trouble: Exception) -> None:
    def fail() -> None:
        raise trouble

    desk.letters = fail
    desk.lanes.waiting_letters = True
    for times in (1, 2):
        desk.lanes.wake()
        await desk.notes.saw("carried", times)
        await settled_down()


# --- a store that is away ---------------------------------------------------------------------------


async def test_an_exchange_without_an_answer_is_repeated_under_its_number(desk: Desk) -> None:
    desk.lanes.offer(*heads(1))
    [delivery] = await desk.has(1)
    asked = len(desk.lanes.exchanges)
    desk.lanes.plan("exchange", AWAY, AWAY, None)
    desk.source.ack(delivery)
    await desk.lanes.notes.saw("exchanged", asked + 3)
    assert len({exchange.number for exchange in desk.lanes.exchanges[asked : asked + 3]}) == 1
    assert desk.source.untold == 0 or desk.lanes.exchanges[-1].number > asked


async def test_whoever_waits_for_a_settlement_waits_until_the_store_is_back(desk: Desk) -> None:
    desk.lanes.offer(*heads(1))
    [delivery] = await desk.has(1)
    desk.lanes.plan("exchange", AWAY, AWAY)
    await desk.source.hand_back([delivery])
    assert desk.source.untold == 0


async def test_a_fault_of_ours_is_told_to_who_waits_and_the_lanes_go_on(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    desk.lanes.offer(*heads(1))
    [delivery] = await desk.has(1)
    desk.lanes.plan("exchange", ZeroDivisionError("ours"))
    async with asyncio.timeout(20):
        with caplog.at_level(logging.ERROR, "goatherd.lanes"), pytest.raises(Unavailable):
            await desk.source.hand_back([delivery])
        assert "fault of Goatherd" in caplog.text
        # Whoever insists gets through.
        await desk.source.hand_back([delivery])
    assert desk.source.untold == 0


# --- losing -----------------------------------------------------------------------------------------


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


# --- the end ----------------------------------------------------------------------------------------


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


async def test_nothing_is_left_of_it(desk: Desk) -> None:
    desk.letters = lambda: None
    await desk.source.stop()
    await desk.source.close(5.0)
    assert not [task.get_name() for task in asyncio.all_tasks() if task.get_name().startswith("goatherd")]


async def settled_down() -> None:
    """Let everything that is under way go as far as it can."""
    for _ in range(20):
        await asyncio.sleep(0)
