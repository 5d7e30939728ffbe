"""Cases: tokens and seqs of a lane only grow, whatever the store has forgotten and whatever its clock does."""

import time
from typing import Any

from goatherd.model.lane import Claim, Release
from goatherd.testing.suites.lane_people import LANE, Sender, Worker, give_up
from goatherd.testing.suites.lane_store import LanesCases, LaneStore, StandingClock


class NumberCases(LanesCases):
    """Part of `LanesSuite`."""

    async def test_numbers_begin_with_the_stores_clock(self, lanes: LaneStore, clock: StandingClock) -> None:
        await Sender(lanes).put("a")
        claim = await Worker(lanes).one()
        microseconds = int(clock() * 1_000_000)
        for number in (claim.seq, claim.token):
            assert microseconds <= number < microseconds + 1_000_000

    async def test_the_stores_own_clock_is_used_where_none_is_given(self, store: Any) -> None:
        lanes = await self.open(store)
        try:
            before = time.time()
            await Sender(lanes).put("a")
            claim = await Worker(lanes).one()
            # A server's clock may differ a little from ours.
            assert abs(claim.accepted - before) < 60.0
            assert abs(claim.token / 1e6 - before) < 60.0
        finally:
            await lanes.close()

    async def test_every_claim_has_a_greater_token(self, lanes: LaneStore, clock: StandingClock) -> None:
        await Sender(lanes).put("a", "b", "c")
        worker, tokens = Worker(lanes, lease=10.0), list[int]()
        for _ in range(3):
            claim = await worker.one()
            await worker.exchange(Release(hold=claim.hold))
            again = await worker.one()
            clock.advance(11.0)
            last = await worker.one()
            await worker.commit(last)
            tokens += [claim.token, again.token, last.token]
        assert tokens == sorted(set(tokens))

    async def test_numbers_grow_though_the_lane_was_forgotten_and_the_clock_stands(
        self, lanes: LaneStore, other: LaneStore
    ) -> None:
        done = [*await self._do_one(lanes), *await self._do_one(other)]
        # More than one job, and more than one claim of it, so that both numbers run ahead of the clock.
        sender, worker = Sender(lanes), Worker(lanes)
        await sender.put("a", "b", "c")
        for _ in range(5):
            claim = await worker.one()
            await worker.exchange(Release(hold=claim.hold))
        done += await worker.drain()
        done += [*await self._do_one(other), *await self._do_one(lanes)]
        self._only_grow(done)

    async def test_seqs_grow_though_jobs_left_their_lane_that_were_never_claimed(self, lanes: LaneStore) -> None:
        await Sender(lanes).put(*"abcdefgh", on_exhausted="cancel_rest")
        last = (await lanes.jobs(LANE, 10))[-1].seq
        worker = Worker(lanes)
        await worker.exchange(give_up(await worker.one()))
        await Sender(lanes).put("i")
        assert (await worker.one()).seq > last

    async def test_numbers_grow_though_the_clock_goes_back(self, lanes: LaneStore, clock: StandingClock) -> None:
        done = await self._do_one(lanes)
        clock.advance(-3600.0)
        await Sender(lanes).put("a", "b")
        done += await Worker(lanes).drain()
        done += await self._do_one(lanes)
        self._only_grow(done)

    async def test_numbers_grow_though_many_other_lanes_were_forgotten(self, lanes: LaneStore) -> None:
        done = await self._do_one(lanes)
        for _ in range(3):
            await Sender(lanes).put_each([f"mail/to={number}" for number in range(100, 140)])
            await Worker(lanes).drain()
        done += await self._do_one(lanes)
        self._only_grow(done)

    async def test_numbers_grow_though_the_store_was_emptied(
        self, store: Any, lanes: LaneStore, clock: StandingClock
    ) -> None:
        await Sender(lanes).put("lost")
        done = await self._do_one(lanes)
        for _ in range(3):
            await self.wipe(store)
            clock.advance(0.1)
            done += await self._do_one(lanes)
        self._only_grow(done)

    async def test_a_worker_from_before_the_store_was_emptied_changes_nothing(
        self, store: Any, lanes: LaneStore, clock: StandingClock
    ) -> None:
        await Sender(lanes).put("lost")
        zombie, worker = Worker(lanes), Worker(lanes)
        lost = await zombie.one()
        await self.wipe(store)
        clock.advance(0.1)
        await Sender(lanes).put("a")
        assert list((await zombie.commit(lost)).settled) == [False]
        claim = await worker.one()
        assert list((await zombie.commit(lost)).settled) == [False]
        assert list(await lanes.beat([lost.hold], 30.0)) == [False]
        assert list((await worker.commit(claim)).settled) == [True]

    async def _do_one(self, lanes: LaneStore) -> list[Claim]:
        await Sender(lanes).put("a")
        return [claim for claim in await Worker(lanes).drain() if claim.lane == LANE]

    def _only_grow(self, done: list[Claim]) -> None:
        assert [claim.seq for claim in done] == sorted({claim.seq for claim in done})
        assert [claim.token for claim in done] == sorted({claim.token for claim in done})
