"""Stories: what a worker works on stays its own, and what does not is noticed."""

import asyncio
import logging
from collections.abc import AsyncIterator

import pytest

from goatherd.engine.heartbeat import Heartbeat
from goatherd.engine.lane_source import Held
from goatherd.errors import Unavailable
from tests.unit.engine.hand_lanes import AWAY, HandLanes, claim
from tests.unit.engine.stage import Notes

#: Long, so that a machine that stands still for a moment costs nothing; beats come often all the same.
LEASE = 20.0


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goatherd.engine.heartbeat.BEATS", 1000)
    monkeypatch.setattr("goatherd.engine.heartbeat.LEAST", 0.05)


class Hands:
    """What a worker holds."""

    def __init__(self, lanes: HandLanes) -> None:
        self.lanes = lanes
        self.held: dict[str, Held] = {}
        self.lost: list[str] = []
        self.notes = Notes()

    def take(self, job: str, lane: str, *, seconds: float = LEASE) -> Held:
        held = Held(self.lanes, 60.0, claim(job, lane), asyncio.get_running_loop().time() + seconds)
        self.held[lane] = held
        return held

    def lose(self, held: Held) -> None:
        held.lost = True
        self.held.pop(held.claim.lane, None)
        self.lost.append(held.claim.id)
        self.notes("lost")


@pytest.fixture
async def hands() -> Hands:
    return Hands(HandLanes())


@pytest.fixture
async def heartbeat(hands: Hands) -> AsyncIterator[Heartbeat]:
    heart = Heartbeat("lanes", logging.getLogger("goatherd.lanes"), hands.lanes.beat, LEASE, hands.held, hands.lose)
    yield heart
    await heart.stop()


async def test_all_leases_are_extended_several_times_before_they_run_out(hands: Hands, heartbeat: Heartbeat) -> None:
    first, second = hands.take("a", "1"), hands.take("b", "2")
    before = first.until
    heartbeat.start()
    await hands.lanes.notes.saw("beaten", 4)
    assert hands.lanes.beats[0] == [first.claim.hold, second.claim.hold]
    assert first.until > before
    assert hands.lost == []


async def test_nothing_is_asked_where_nothing_is_held(hands: Hands, heartbeat: Heartbeat) -> None:
    await heartbeat.beat()
    assert hands.lanes.beats == []


async def test_a_lane_that_others_have_is_lost_at_the_next_beat(hands: Hands, heartbeat: Heartbeat) -> None:
    first, second = hands.take("a", "1"), hands.take("b", "2")
    hands.lanes.gone.add(first.claim.hold)
    await heartbeat.beat()
    assert hands.lost == ["a"]
    assert not second.lost


async def test_one_that_was_settled_meanwhile_is_not_lost(hands: Hands, heartbeat: Heartbeat) -> None:
    held = hands.take("a", "1")
    gate = asyncio.Event()
    hands.lanes.plan("beat", gate)
    hands.lanes.gone.add(held.claim.hold)
    beating = asyncio.create_task(heartbeat.beat())
    await hands.lanes.notes.saw("beaten")
    del hands.held["1"]
    gate.set()
    await beating
    assert hands.lost == []


async def test_a_lane_that_was_claimed_anew_meanwhile_is_not_lost(hands: Hands, heartbeat: Heartbeat) -> None:
    old = hands.take("a", "1")
    gate = asyncio.Event()
    hands.lanes.plan("beat", gate)
    beating = asyncio.create_task(heartbeat.beat())
    await hands.lanes.notes.saw("beaten")
    hands.lanes.gone.add(old.claim.hold)
    hands.held["1"] = Held(hands.lanes, 60.0, claim("b", "1", token=2), old.until)
    gate.set()
    await beating
    assert hands.lost == []


async def test_a_store_that_is_away_for_a_moment_costs_nothing(hands: Hands, heartbeat: Heartbeat) -> None:
    hands.take("a", "1")
    hands.lanes.plan("beat", AWAY, None)
    heartbeat.start()
    await hands.lanes.notes.saw("beaten", 3)
    assert hands.lost == []


async def test_a_store_that_stays_away_costs_the_lanes(hands: Hands, heartbeat: Heartbeat) -> None:
    held = hands.take("a", "1", seconds=0.1)
    hands.lanes.planned["beat"] = [AWAY] * 100_000
    heartbeat.start()
    await hands.notes.saw("lost")
    assert asyncio.get_running_loop().time() >= held.until
    assert hands.lost == ["a"]


async def test_a_store_that_does_not_answer_is_not_waited_for_longer_than_the_first_lease_lasts(hands: Hands) -> None:
    heartbeat = Heartbeat("lanes", logging.getLogger("goatherd.lanes"), hands.lanes.beat, 3600, hands.held, hands.lose)
    hands.take("a", "1", seconds=0.05)
    hands.take("b", "2", seconds=3600)
    hands.lanes.plan("beat", asyncio.Event())
    async with asyncio.timeout(20):
        with pytest.raises(Unavailable, match="did not answer before the first lease ended"):
            await heartbeat.beat()


async def test_a_lease_that_is_over_may_still_be_ours(hands: Hands, heartbeat: Heartbeat) -> None:
    held = hands.take("a", "1", seconds=-1)
    await heartbeat.beat()
    assert hands.lost == []
    assert held.until > asyncio.get_running_loop().time()


async def test_a_store_that_does_not_answer_costs_the_lanes(
    hands: Hands, heartbeat: Heartbeat, caplog: pytest.LogCaptureFixture
) -> None:
    hands.take("a", "1", seconds=0.1)
    hands.lanes.plan("beat", *(asyncio.Event() for _ in range(1000)))
    with caplog.at_level(logging.WARNING, "goatherd.lanes"):
        heartbeat.start()
        await hands.notes.saw("lost")
    assert "cannot be extended now" in caplog.text
    assert "fault of Goatherd" not in caplog.text


async def test_after_a_fault_of_ours_it_beats_on(
    hands: Hands, heartbeat: Heartbeat, caplog: pytest.LogCaptureFixture
) -> None:
    hands.take("a", "1")
    hands.lanes.plan("beat", ZeroDivisionError("ours"))
    with caplog.at_level(logging.ERROR, "goatherd.lanes"):
        heartbeat.start()
        await hands.lanes.notes.saw("beaten", 2)
    assert "fault of Goatherd" in caplog.text
    assert hands.lost == []


async def test_stopped_it_is_gone(hands: Hands, heartbeat: Heartbeat) -> None:
    tasks = asyncio.all_tasks()
    heartbeat.start()
    await heartbeat.stop()
    await heartbeat.stop()
    assert asyncio.all_tasks() == tasks
