"""Cases: operators see what each lane does, and set those right that stand still."""

from typing import Any

import pytest

from goatherd.model.lane import LaneState, TryAgain
from goatherd.testing.suites.lane_people import LANE, Sender, Worker, burial, every_settlement, give_up, ids, item
from goatherd.testing.suites.lane_store import LanesCases, LaneStore, StandingClock


class OperationCases(LanesCases):
    """Part of `LanesSuite`."""

    async def test_a_lane_is_shown_as_it_stands(self, lanes: LaneStore, other: LaneStore, clock: StandingClock) -> None:
        worker, sent = Worker(lanes, lease=10.0), clock()
        await Sender(lanes).put("a", "b")
        state = await self._state(other)
        assert (state.key, state.condition, state.length, state.queue, state.head) == (LANE, "ready", 2, "mail", "a")
        assert (state.since, state.until, state.worker) == (sent, None, None)
        clock.advance(2.0)
        claimed, claim = clock(), await worker.one()
        state = await self._state(other)
        assert (state.condition, state.worker, state.head, state.length) == ("running", worker.name, "a", 2)
        assert (state.since, state.until) == (claimed, claimed + 10.0)
        clock.advance(2.0)
        failed = clock()
        await worker.exchange(TryAgain(hold=claim.hold, content=b"again", delay=7.0))
        state = await self._state(other)
        assert (state.condition, state.worker, state.since, state.until) == ("waiting", None, failed, failed + 7.0)
        clock.advance(8.0)
        await worker.exchange(give_up(await worker.one()))
        state = await self._state(other)
        assert (state.condition, state.since, state.until, state.burial) == ("held", clock(), None, burial())

    async def test_a_lane_tells_how_many_workers_its_head_has_cost(
        self, lanes: LaneStore, clock: StandingClock
    ) -> None:
        await Sender(lanes).put("a")
        worker = Worker(lanes, lease=10.0)
        for _ in range(2):
            await worker.one()
            clock.advance(11.0)
        await worker.exchange()
        state = await self._state(lanes)
        assert (state.condition, state.deaths) == ("ready", 2)

    async def test_jobs_of_a_lane_are_listed_with_the_head_first(self, lanes: LaneStore, clock: StandingClock) -> None:
        sender, sent = Sender(lanes), clock()
        await sender.put("a", "b")
        clock.advance(1.0)
        await sender.put("c", queue="sms")
        jobs = await lanes.jobs(LANE, 10)
        told = [(job.id, job.queue, job.content, job.accepted) for job in jobs]
        assert told == [("a", "mail", b"a", sent), ("b", "mail", b"b", sent), ("c", "sms", b"c", sent + 1.0)]
        assert [job.id for job in await lanes.jobs(LANE, 2)] == ["a", "b"]
        assert list(await lanes.jobs("mail/to=nobody", 10)) == []

    async def test_held_lanes_are_found_first_then_those_of_the_oldest_condition(
        self, lanes: LaneStore, clock: StandingClock
    ) -> None:
        sender, worker = Sender(lanes), Worker(lanes)
        for number in range(6):
            await sender.put(f"{number}", lane=f"mail/to={number}")
            clock.advance(1.0)
        claims = {claim.id: claim for claim in await worker.claim(4)}
        for id in ("3", "1"):
            clock.advance(1.0)
            await worker.exchange(give_up(claims[id]))
        found = [state.key for state in await lanes.find()]
        assert found[:4] == ["mail/to=3", "mail/to=1", "mail/to=4", "mail/to=5"]
        assert sorted(found[4:]) == ["mail/to=0", "mail/to=2"]
        assert [state.key for state in await lanes.find(limit=3)] == found[:3]

    async def test_lanes_are_found_by_their_condition_and_a_part_of_their_key(self, lanes: LaneStore) -> None:
        sender, worker = Sender(lanes), Worker(lanes)
        await sender.put_each(["mail/to=1_1", "mail/to=21", "mail/from=1%"])
        claims = {claim.lane: claim for claim in await worker.claim(3)}
        await sender.put_each(["mail/to=31"])
        await worker.exchange(
            give_up(claims["mail/to=21"]), TryAgain(hold=claims["mail/from=1%"].hold, content=b"x", delay=5.0)
        )  # fmt: skip

        async def keys(**wanted: Any) -> list[str]:
            return sorted(state.key for state in await lanes.find(**wanted))

        assert await keys(condition="held") == ["mail/to=21"]
        assert await keys(condition="running") == ["mail/to=1_1"]
        assert await keys(condition="waiting") == ["mail/from=1%"]
        assert await keys(condition="ready") == ["mail/to=31"]
        assert await keys(containing="to=") == ["mail/to=1_1", "mail/to=21", "mail/to=31"]
        # A text is a text, and not a pattern.
        assert await keys(containing="_") == ["mail/to=1_1"]
        assert await keys(containing="%") == ["mail/from=1%"]
        assert await keys(containing="*") == []
        assert await keys(containing="1", condition="held") == ["mail/to=21"]

    async def test_a_held_head_is_tried_again_when_somebody_says_so(self, lanes: LaneStore) -> None:
        await Sender(lanes).put("a", "b")
        worker = Worker(lanes)
        await worker.exchange(give_up(await worker.one()))
        assert await lanes.retry(LANE)
        state = await self._state(lanes)
        assert (state.condition, state.burial, state.head) == ("ready", None, "a")
        claim = await worker.one()
        assert (claim.id, claim.content, claim.deaths) == ("a", b"a", 0)
        await worker.exchange(give_up(claim))
        assert await lanes.retry(LANE, b"mended")
        assert [(claim.id, claim.content) for claim in await worker.drain()] == [("a", b"mended"), ("b", b"b")]

    async def test_a_head_that_waits_need_not_wait(self, lanes: LaneStore) -> None:
        sender, worker = Sender(lanes), Worker(lanes)
        await sender.put("slow", delay=100.0, keep_place=True)
        assert await lanes.retry(LANE)
        claim = await worker.one()
        await worker.exchange(TryAgain(hold=claim.hold, content=b"again", delay=100.0))
        assert await worker.claim(1) == []
        assert await lanes.retry(LANE)
        exchanged = await worker.exchange(wanted=1)
        assert [claim.content for claim in exchanged.claims] == [b"again"]
        assert exchanged.next_due == pytest.approx(30.0, abs=0.01)

    async def test_deaths_are_forgotten_when_somebody_tries_again(self, lanes: LaneStore, clock: StandingClock) -> None:
        await Sender(lanes).put("a")
        worker = Worker(lanes, lease=10.0)
        await worker.one()
        clock.advance(11.0)
        claim = await worker.one()
        assert claim.deaths == 1
        await worker.exchange(give_up(claim))
        assert await lanes.retry(LANE)
        assert (await worker.one()).deaths == 0

    async def test_a_head_is_skipped_when_somebody_says_so(self, lanes: LaneStore, clock: StandingClock) -> None:
        sender, worker = Sender(lanes), Worker(lanes)
        await sender.send(item("a"), item("slow", delay=100.0, keep_place=True), item("c"))
        await worker.exchange(give_up(await worker.one()))
        assert await lanes.skip(LANE, burial("first"))
        assert await worker.claim(5) == []
        assert await lanes.skip(LANE, burial("second"))
        letters = await lanes.letters(10)
        assert [(letter.content, letter.burial) for letter in letters] == [
            (b"a", burial("first")),
            (b"slow", burial("second")),
        ]
        assert ids(await worker.drain()) == ["c"]

    async def test_a_lane_is_gone_when_its_only_job_is_skipped(self, lanes: LaneStore) -> None:
        await Sender(lanes).put("a")
        worker = Worker(lanes)
        await worker.exchange(give_up(await worker.one()))
        assert await lanes.skip(LANE, burial())
        assert await lanes.get(LANE) is None
        assert not await lanes.skip(LANE, burial())

    async def test_only_what_stands_still_is_tried_again_or_skipped(self, lanes: LaneStore) -> None:
        assert not await lanes.retry(LANE)
        await Sender(lanes).put("a")
        assert not await lanes.retry(LANE, b"changed")
        assert not await lanes.skip(LANE, burial())
        worker = Worker(lanes)
        claim = await worker.one()
        assert claim.content == b"a"
        assert not await lanes.retry(LANE, b"changed")
        assert not await lanes.skip(LANE, burial())
        assert [job.content for job in await lanes.jobs(LANE, 10)] == [b"a"]
        assert list(await lanes.letters(10)) == []
        assert list((await worker.commit(claim)).settled) == [True]

    async def test_only_the_head_that_is_meant_is_tried_again_or_skipped(self, lanes: LaneStore) -> None:
        await Sender(lanes).put("a", "b")
        worker = Worker(lanes)
        await worker.exchange(give_up(await worker.one()))
        first, second = await lanes.jobs(LANE, 2)
        for seq in (second.seq, first.seq - 1):
            assert not await lanes.retry(LANE, b"wrong", seq=seq)
            assert not await lanes.skip(LANE, burial(), seq=seq)
        assert (await self._state(lanes)).condition == "held"
        assert await lanes.retry(LANE, b"mended", seq=first.seq)
        claim = await worker.one()
        assert (claim.id, claim.content) == ("a", b"mended")
        await worker.exchange(give_up(claim))
        assert await lanes.skip(LANE, burial(), seq=first.seq)
        assert [letter.content for letter in await lanes.letters(10)] == [b"mended"]
        assert ids(await worker.drain()) == ["b"]

    async def test_the_head_that_is_meant_may_never_have_been_tried(self, lanes: LaneStore) -> None:
        await Sender(lanes).put("slow", delay=100.0, keep_place=True)
        [job] = await lanes.jobs(LANE, 1)
        assert not await lanes.retry(LANE, seq=job.seq + 1)
        assert await lanes.retry(LANE, seq=job.seq)
        assert ids(await Worker(lanes).drain()) == ["slow"]

    async def test_a_lane_is_taken_from_the_worker_that_has_it(self, lanes: LaneStore, other: LaneStore) -> None:
        await Sender(lanes).put("a", "b")
        stuck, worker = Worker(lanes), Worker(other)
        assert not await other.unblock(LANE)
        lost = await stuck.one()
        assert await other.unblock(LANE)
        assert not await other.unblock(LANE)
        for settlement in every_settlement(lost.hold):
            assert list((await stuck.exchange(settlement)).settled) == [False]
        assert list(await lanes.beat([lost.hold], 30.0)) == [False]
        claim = await worker.one()
        assert (claim.id, claim.deaths) == ("a", 0)
        assert claim.token > lost.token
        assert list((await stuck.commit(lost)).settled) == [False]
        assert list((await worker.commit(claim)).settled) == [True]

    async def _state(self, lanes: LaneStore) -> LaneState:
        state = await lanes.get(LANE)
        assert state is not None, "there is nothing in the lane"
        return state
