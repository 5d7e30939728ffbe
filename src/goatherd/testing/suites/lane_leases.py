"""Cases: a lane is a worker's for as long as it beats; what comes late changes nothing."""

import pytest

from goatherd.model.lane import Commit, Hold, LaneState, Release, TryAgain
from goatherd.testing.suites.lane_people import LANE, Sender, Worker, every_settlement, ids
from goatherd.testing.suites.lane_store import LanesCases, LaneStore, StandingClock


class LeaseCases(LanesCases):
    """Part of `LanesSuite`."""

    async def test_a_worker_that_is_silent_for_too_long_loses_its_lane(
        self, lanes: LaneStore, other: LaneStore, clock: StandingClock
    ) -> None:
        await Sender(lanes).put("a", "b")
        silent, worker = Worker(lanes, lease=10.0), Worker(other)
        lost = await silent.one()
        clock.advance(9.0)
        assert await worker.claim(5) == []
        clock.advance(1.5)
        claim = await worker.one()
        assert (claim.id, claim.seq, claim.deaths) == ("a", lost.seq, 1)
        assert claim.token > lost.token
        assert list((await silent.commit(lost)).settled) == [False]
        assert list((await worker.commit(claim)).settled) == [True]

    async def test_a_beat_is_as_good_as_a_new_lease(
        self, lanes: LaneStore, other: LaneStore, clock: StandingClock
    ) -> None:
        await Sender(lanes).put("a")
        worker, second = Worker(lanes, lease=10.0), Worker(other)
        claim = await worker.one()
        for _ in range(3):
            clock.advance(8.0)
            assert list(await lanes.beat([claim.hold], 10.0)) == [True]
            assert await second.claim(5) == []
        clock.advance(10.5)
        assert [(again.id, again.deaths) for again in await second.claim(5)] == [("a", 1)]

    async def test_beats_tell_which_lanes_are_lost(self, lanes: LaneStore, clock: StandingClock) -> None:
        keys = ["mail/to=1", "mail/to=2", "mail/to=3"]
        await Sender(lanes).put_each(keys)
        worker = Worker(lanes, lease=10.0)
        holds = [claim.hold for claim in await worker.claim(3)]
        await worker.exchange(Commit(hold=holds[1]))
        assert list(await lanes.beat(holds, 10.0)) == [True, False, True]
        clock.advance(11.0)
        await Worker(lanes).claim(10)
        assert list(await lanes.beat(holds, 10.0)) == [False, False, False]

    async def test_a_zombie_changes_nothing_while_another_works(
        self, lanes: LaneStore, other: LaneStore, clock: StandingClock
    ) -> None:
        await Sender(lanes).put("a", "b")
        zombie, worker = Worker(lanes, lease=10.0), Worker(other)
        lost = await zombie.one()
        clock.advance(11.0)
        claim = await worker.one()
        await self._changes_nothing(lanes, zombie, lost.hold)
        assert list((await worker.commit(claim)).settled) == [True]
        assert ids(await worker.drain()) == ["b"]

    async def test_a_zombie_changes_nothing_when_the_next_job_is_being_done(
        self, lanes: LaneStore, other: LaneStore, clock: StandingClock
    ) -> None:
        await Sender(lanes).put("a", "b", "c")
        zombie, worker = Worker(lanes, lease=10.0), Worker(other)
        lost = await zombie.one()
        clock.advance(11.0)
        [claim] = (await worker.commit(await worker.one(), wanted=1)).claims
        await self._changes_nothing(lanes, zombie, lost.hold)
        # Not even with the seq of the job that is the head now.
        mixed = Hold(lane=lost.lane, token=lost.token, seq=claim.seq)
        await self._changes_nothing(lanes, zombie, mixed)
        assert [claim.id, *ids((await worker.commit(claim, wanted=1)).claims)] == ["b", "c"]

    async def test_what_was_settled_is_not_settled_again(self, lanes: LaneStore) -> None:
        await Sender(lanes).put("a", "b")
        worker = Worker(lanes)
        for settlement in (Release, Commit):
            claim = await worker.one()
            assert list((await worker.exchange(settlement(hold=claim.hold))).settled) == [True]
            await self._changes_nothing(lanes, worker, claim.hold)
        assert ids(await worker.drain()) == ["b"]

    async def test_a_worker_whose_lane_waits_has_it_no_more(self, lanes: LaneStore, clock: StandingClock) -> None:
        await Sender(lanes).put("a", "b")
        worker = Worker(lanes)
        claim = await worker.one()
        await worker.exchange(TryAgain(hold=claim.hold, content=b"again", delay=20.0))
        await self._changes_nothing(lanes, worker, claim.hold)
        clock.advance(21.0)
        assert ids(await worker.drain()) == ["a", "b"]

    async def test_what_was_never_claimed_is_not_settled(self, lanes: LaneStore) -> None:
        await Sender(lanes).put("a")
        worker = Worker(lanes)
        [job] = await lanes.jobs(LANE, 1)
        for token in (0, 1, job.seq, 2**60):
            unclaimed = Hold(lane=LANE, token=token, seq=job.seq)
            await self._changes_nothing(lanes, worker, unclaimed)
        await self._changes_nothing(lanes, worker, Hold(lane="mail/to=nobody", token=1, seq=1))
        claim = await worker.one()
        for token, seq in [(claim.token + 1, claim.seq), (claim.token - 1, claim.seq), (claim.token, claim.seq + 1)]:
            guessed = Hold(lane=LANE, token=token, seq=seq)
            await self._changes_nothing(lanes, worker, guessed)
        assert list((await worker.commit(claim)).settled) == [True]

    async def test_one_claim_is_settled_once_within_an_exchange(self, lanes: LaneStore) -> None:
        await Sender(lanes).put("a", "b")
        worker = Worker(lanes)
        claim = await worker.one()
        assert list((await worker.commit(claim, claim)).settled) == [True, False]
        assert ids(await worker.drain()) == ["b"]

    async def test_a_lease_that_ran_out_counts_until_somebody_has_noticed(
        self, lanes: LaneStore, clock: StandingClock
    ) -> None:
        await Sender(lanes).put("a", "b")
        worker = Worker(lanes, lease=10.0)
        claim = await worker.one()
        clock.advance(15.0)
        exchanged = await worker.commit(claim, wanted=1)
        assert (list(exchanged.settled), ids(exchanged.claims)) == ([True], ["b"])
        assert [again.deaths for again in exchanged.claims] == [0]

    async def test_every_lease_that_runs_out_is_a_death_until_the_job_failed(
        self, lanes: LaneStore, clock: StandingClock
    ) -> None:
        await Sender(lanes).put("a", "b")
        worker = Worker(lanes, lease=10.0)
        for deaths in range(4):
            claim = await worker.one()
            assert (claim.id, claim.deaths) == ("a", deaths)
            clock.advance(11.0)
        claim = await worker.one()
        await worker.exchange(Release(hold=claim.hold))
        claim = await worker.one()
        assert claim.deaths == 4
        for delay in (0.0, 5.0):
            await worker.exchange(TryAgain(hold=claim.hold, content=b"again", delay=delay))
            clock.advance(delay)
            claim = await worker.one()
            assert (claim.id, claim.content, claim.deaths) == ("a", b"again", 0)
            clock.advance(11.0)
            claim = await worker.one()
            assert claim.deaths == 1
        assert [next_one.deaths for next_one in (await worker.commit(claim, wanted=1)).claims] == [0]

    async def test_many_leases_that_ran_out_are_seen_to_bit_by_bit(
        self, lanes: LaneStore, other: LaneStore, clock: StandingClock
    ) -> None:
        keys = [f"mail/to={number}" for number in range(350)]
        await Sender(lanes).put_each(keys)
        assert len(await Worker(lanes, lease=10.0).claim(350)) == 350
        clock.advance(11.0)
        worker, taken = Worker(other), list[str]()
        for _ in range(10):
            exchanged = await worker.exchange(wanted=400)
            taken += ids(exchanged.claims)
            if len(taken) < 350:
                assert exchanged.next_due == 0
        assert sorted(taken) == sorted(keys)

    async def test_an_idle_worker_is_told_when_the_next_lease_runs_out(
        self, lanes: LaneStore, other: LaneStore, clock: StandingClock
    ) -> None:
        await Sender(lanes).put_each(["mail/to=1", "mail/to=2"])
        worker, idle = Worker(lanes, lease=10.0), Worker(other)
        first = (await worker.claim(1))[0]
        clock.advance(4.0)
        second = (await worker.claim(1))[0]
        assert (await idle.exchange(wanted=1)).next_due == pytest.approx(6.0, abs=0.01)
        await worker.commit(first)
        assert (await idle.exchange(wanted=1)).next_due == pytest.approx(10.0, abs=0.01)
        await lanes.beat([second.hold], 25.0)
        assert (await idle.exchange(wanted=1)).next_due == pytest.approx(25.0, abs=0.01)
        await worker.commit(second)
        assert (await idle.exchange(wanted=1)).next_due is None

    async def test_nothing_is_due_of_a_lane_that_is_ready(self, lanes: LaneStore) -> None:
        await Sender(lanes).put("a", "b")
        worker = Worker(lanes)

        async def is_ready() -> None:
            assert (await worker.exchange()).next_due is None
            state = await lanes.get(LANE)
            assert state is not None
            assert (state.condition, state.until, state.worker) == ("ready", None, None)

        await is_ready()
        await worker.exchange(Release(hold=(await worker.one()).hold))
        await is_ready()
        await worker.one()
        assert await lanes.unblock(LANE)
        await is_ready()
        await worker.exchange(TryAgain(hold=(await worker.one()).hold, content=b"again", delay=5.0))
        assert await lanes.retry(LANE)
        await is_ready()
        await worker.commit(await worker.one())
        await is_ready()

    async def _changes_nothing(self, lanes: LaneStore, worker: Worker, hold: Hold) -> None:
        before = await self._seen(lanes)
        for settlement in every_settlement(hold):
            exchanged = await worker.exchange(settlement)
            assert list(exchanged.settled) == [False], settlement
            assert await self._seen(lanes) == before, settlement
            assert not exchanged.letters, settlement
        assert list(await lanes.beat([hold], 60.0)) == [False]
        assert await self._seen(lanes) == before

    async def _seen(self, lanes: LaneStore) -> tuple[LaneState | None, list[object], list[object]]:
        return await lanes.get(LANE), list(await lanes.jobs(LANE, 10)), list(await lanes.letters(10))
