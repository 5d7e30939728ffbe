"""Cases: a lane takes as many jobs as it may have, and no job overtakes one that was refused."""

from goatherd.testing.suites.lane_people import LANE, Sender, Worker, ids, item
from goatherd.testing.suites.lane_store import LanesCases, LaneStore, StandingClock


class LimitCases(LanesCases):
    """Part of `LanesSuite`."""

    async def test_a_full_lane_takes_no_more_until_a_job_has_left_it(self, lanes: LaneStore) -> None:
        sender, worker = Sender(lanes), Worker(lanes)
        await sender.put("a", limit=2)
        await sender.put("b", limit=2)
        [refused] = await sender.put("c", limit=2)
        assert refused.answer == "full"
        claim = await worker.one()
        # The one that is being done is in the lane still.
        [refused] = await sender.put("c", limit=2)
        assert refused.answer == "full"
        await worker.commit(claim)
        [placed] = await sender.put("c", limit=2)
        assert (placed.answer, placed.ahead) == ("placed", 1)
        assert ids(await worker.drain()) == ["b", "c"]

    async def test_several_of_one_call_fill_the_lane_and_the_rest_is_refused(self, lanes: LaneStore) -> None:
        placed = await Sender(lanes).put("a", "b", "c", "d", limit=2)
        assert [(placement.answer, placement.ahead) for placement in placed[:2]] == [("placed", 0), ("placed", 1)]
        assert [placement.answer for placement in placed[2:]] == ["full", "full"]
        assert ids(await Worker(lanes).drain()) == ["a", "b"]

    async def test_a_job_does_not_overtake_one_that_was_refused_in_the_same_call(
        self, lanes: LaneStore, clock: StandingClock
    ) -> None:
        sender = Sender(lanes)
        await sender.put("a")
        behind = [item("c", limit=10), item("d"), item("later", delay=5.0), item("slow", delay=5.0, keep_place=True)]
        placed = await sender.send(item("b", limit=1), *behind, item("x", "mail/to=8", limit=1))
        assert [placement.answer for placement in placed] == ["full"] * 5 + ["placed"]
        clock.advance(6.0)
        assert ids(await Worker(lanes).drain()) == ["a", "x"]

    async def test_a_limit_is_that_of_one_lane(self, lanes: LaneStore) -> None:
        keys = [f"mail/to={number}" for number in range(5)]
        placed = await Sender(lanes).send(*(item(key, key, limit=1) for key in keys))
        assert {placement.answer for placement in placed} == {"placed"}

    async def test_jobs_without_a_limit_enter_a_lane_that_is_full_for_others(self, lanes: LaneStore) -> None:
        sender = Sender(lanes)
        await sender.put("a", limit=1)
        [placed] = await sender.put("b")
        assert (placed.answer, placed.ahead) == ("placed", 1)
        [refused] = await sender.put("c", limit=2)
        assert refused.answer == "full"

    async def test_a_delayed_job_joins_whatever_the_limit_is_then(self, lanes: LaneStore, clock: StandingClock) -> None:
        sender = Sender(lanes)
        [later] = await sender.put("later", limit=1, delay=5.0)
        assert later.answer == "later"
        [placed] = await sender.put("a", limit=1)
        assert placed.answer == "placed"
        clock.advance(6.0)
        worker = Worker(lanes)
        claim = await worker.one()
        assert [job.id for job in await lanes.jobs(LANE, 10)] == ["a", "later"]
        [refused] = await sender.put("b", limit=2)
        assert refused.answer == "full"
        await worker.commit(claim)
        assert ids(await worker.drain()) == ["later"]

    async def test_a_job_that_keeps_its_place_counts_at_once(self, lanes: LaneStore) -> None:
        sender = Sender(lanes)
        [placed] = await sender.put("slow", limit=1, delay=5.0, keep_place=True)
        assert placed.answer == "placed"
        [refused] = await sender.put("a", limit=1)
        assert refused.answer == "full"
        [refused] = await sender.put("b", limit=1, delay=5.0, keep_place=True)
        assert refused.answer == "full"

    async def test_an_id_that_was_refused_is_not_known_to_another_job_of_the_same_call(self, lanes: LaneStore) -> None:
        sender = Sender(lanes)
        await sender.put("a", limit=1)
        other = "mail/to=8"
        refused, again = await sender.send(item("x", limit=1, named=True), item("x", other, named=True))
        assert refused.answer == "full"
        # Whether it is refused as well or taken: nobody may believe it taken that is nowhere.
        assert again.answer in ("full", "placed")
        [placed] = await sender.send(item("x", other, named=True))
        assert placed.answer == ("placed" if again.answer == "full" else "known")
        assert sorted(ids(await Worker(lanes).drain())) == ["a", "x"]
