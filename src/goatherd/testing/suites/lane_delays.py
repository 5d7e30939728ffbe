"""Cases: a delayed job joins its lane when it is due, or takes its place at once and the lane waits for it."""

import pytest

from goatherd.testing.suites.lane_people import LANE, Sender, Worker, ids, item
from goatherd.testing.suites.lane_store import LanesCases, LaneStore, StandingClock


class DelayCases(LanesCases):
    """Part of `LanesSuite`."""

    async def test_a_delayed_job_joins_the_end_of_its_lane_when_it_is_due(
        self, lanes: LaneStore, clock: StandingClock
    ) -> None:
        sender, worker = Sender(lanes), Worker(lanes)
        [later] = await sender.put("later", delay=10.0)
        assert later.answer == "later"
        await sender.put("a", "b")
        assert [job.id for job in await lanes.jobs(LANE, 10)] == ["a", "b"]
        claim = await worker.one()
        clock.advance(11.0)
        [second] = (await worker.commit(claim, wanted=1)).claims
        await sender.put("c")
        [third] = (await worker.commit(second, wanted=1)).claims
        [last] = (await worker.commit(third, wanted=1)).claims
        assert ids([claim, second, third, last]) == ["a", "b", "later", "c"]

    async def test_it_is_not_done_before_it_is_due(self, lanes: LaneStore, clock: StandingClock) -> None:
        worker = Worker(lanes)
        await Sender(lanes).put("later", delay=10.0)
        accepted = clock() + 10.0
        exchanged = await worker.exchange(wanted=1)
        assert list(exchanged.claims) == []
        assert exchanged.next_due == pytest.approx(10.0, abs=0.01)
        assert await lanes.get(LANE) is None
        clock.advance(9.5)
        exchanged = await worker.exchange(wanted=1)
        assert list(exchanged.claims) == []
        assert exchanged.next_due == pytest.approx(0.5, abs=0.01)
        clock.advance(3.0)
        claim = await worker.one()
        # When it fell due, not when somebody looked.
        assert claim.id == "later"
        assert claim.accepted == pytest.approx(accepted, abs=0.01)

    async def test_they_join_in_the_order_in_which_they_fall_due(self, lanes: LaneStore, clock: StandingClock) -> None:
        sender = Sender(lanes)
        await sender.put("slow", delay=20.0)
        await sender.put("quick", delay=5.0)
        await sender.put("same1", "same2", delay=10.0)
        await sender.put("same3", delay=10.0)
        clock.advance(30.0)
        assert ids(await Worker(lanes).drain()) == ["quick", "same1", "same2", "same3", "slow"]

    async def test_many_join_bit_by_bit(self, lanes: LaneStore, clock: StandingClock) -> None:
        await Sender(lanes).send(*(item(f"{number}", f"mail/to={number % 7}", delay=5.0) for number in range(350)))
        clock.advance(6.0)
        done = await Worker(lanes).drain()
        assert len(done) == 350
        for lane in range(7):
            assert ids([claim for claim in done if claim.lane == f"mail/to={lane}"]) == [
                f"{number}" for number in range(350) if number % 7 == lane
            ]

    async def test_a_job_that_keeps_its_place_holds_the_lane_until_it_is_due(
        self, lanes: LaneStore, clock: StandingClock
    ) -> None:
        sender, worker = Sender(lanes), Worker(lanes)
        [placed] = await sender.put("first", delay=10.0, keep_place=True)
        assert (placed.answer, placed.ahead) == ("placed", 0)
        assert [placement.ahead for placement in await sender.put("second")] == [1]
        accepted, until = clock() + 10.0, clock() + 10.0
        exchanged = await worker.exchange(wanted=5)
        assert list(exchanged.claims) == []
        assert exchanged.next_due == pytest.approx(10.0, abs=0.01)
        state = await lanes.get(LANE)
        assert state is not None
        assert (state.condition, state.head, state.length) == ("waiting", "first", 2)
        assert state.until == pytest.approx(until, abs=0.01)
        clock.advance(10.5)
        claim = await worker.one()
        assert (claim.id, claim.deaths) == ("first", 0)
        assert claim.accepted == pytest.approx(accepted, abs=0.01)
        assert ids((await worker.commit(claim, wanted=1)).claims) == ["second"]

    async def test_a_lane_waits_for_its_next_job_when_that_is_not_due_yet(
        self, lanes: LaneStore, clock: StandingClock
    ) -> None:
        sender, worker = Sender(lanes), Worker(lanes)
        await sender.send(item("a"), item("slow", delay=10.0, keep_place=True), item("b"))
        claim = await worker.one()
        clock.advance(4.0)
        exchanged = await worker.commit(claim, wanted=5)
        assert list(exchanged.claims) == []
        assert exchanged.next_due == pytest.approx(6.0, abs=0.01)
        clock.advance(6.5)
        assert ids(await worker.drain()) == ["slow", "b"]

    async def test_a_job_that_kept_its_place_is_done_at_once_when_it_is_due_by_then(
        self, lanes: LaneStore, clock: StandingClock
    ) -> None:
        sender, worker = Sender(lanes), Worker(lanes)
        await sender.send(item("a"), item("slow", delay=10.0, keep_place=True))
        claim = await worker.one()
        clock.advance(12.0)
        assert ids((await worker.commit(claim, wanted=1)).claims) == ["slow"]

    async def test_a_lane_that_waits_holds_no_other(self, lanes: LaneStore) -> None:
        await Sender(lanes).send(item("slow", "mail/to=1", delay=10.0, keep_place=True), item("a", "mail/to=2"))
        assert ids(await Worker(lanes).drain()) == ["a"]

    async def test_without_a_delay_there_is_nothing_to_keep(self, lanes: LaneStore) -> None:
        [placed] = await Sender(lanes).put("a", delay=0.0, keep_place=True)
        assert placed.answer == "placed"
        assert ids(await Worker(lanes).drain()) == ["a"]

    async def test_who_joins_is_done_by_workers_of_its_own_queue(self, lanes: LaneStore, clock: StandingClock) -> None:
        await Sender(lanes).put("later", lane="post=7", queue="likes", delay=5.0, on_exhausted="skip")
        clock.advance(6.0)
        assert await Worker(lanes, "posts").claim(5) == []
        claim = await Worker(lanes, "likes").one()
        assert (claim.queue, claim.on_exhausted, claim.content) == ("likes", "skip", b"later")
