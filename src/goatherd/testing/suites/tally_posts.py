"""Cases of tallies: batches that become jobs."""

import asyncio
from typing import Any

from goatherd.model.tally import REMEMBERED_FOR
from goatherd.ports.tallies import Tallies
from goatherd.testing.suites.lane_people import QUEUE, Sender, Worker, ids
from goatherd.testing.suites.lane_store import LaneStore, StandingClock, Woken
from goatherd.testing.suites.tally_store import EVERY, TALLY, TallyCases, job_of, lane_of, post_all, sealed


class PostCases(TallyCases):
    """Part of `TalliesSuite`."""

    async def test_a_batch_is_a_job_in_its_lane_and_nothing_else_any_more(
        self, tallies: Tallies, lanes: LaneStore
    ) -> None:
        await tallies.add(TALLY, "ann", 5)
        [batch] = await sealed(tallies)
        assert await tallies.post(TALLY, [job_of(batch, on_exhausted="skip")]) == 1
        assert await tallies.waiting(TALLY) == (0, 0)
        claim = await Worker(lanes).one()
        assert (claim.lane, claim.id, claim.content) == (lane_of("ann"), f"ann:{batch.seq}", b"5")
        assert (claim.queue, claim.on_exhausted) == (QUEUE, "skip")

    async def test_posted_twice_it_is_one_job(self, tallies: Tallies, other: Tallies, lanes: LaneStore) -> None:
        await tallies.add(TALLY, "ann", 5)
        [batch] = await sealed(tallies)
        assert await tallies.post(TALLY, [job_of(batch), job_of(batch)]) == 1
        assert await other.post(TALLY, [job_of(batch)]) == 0
        assert len(await Worker(lanes).drain()) == 1

    async def test_one_who_comes_late_does_not_touch_the_next_batch(
        self, tallies: Tallies, other: Tallies, lanes: LaneStore, clock: StandingClock
    ) -> None:
        await tallies.add(TALLY, "ann", 5)
        [first] = await post_all(tallies)
        await tallies.add(TALLY, "ann", 3)
        clock.advance(EVERY)
        [second] = await sealed(tallies)
        assert await other.post(TALLY, [job_of(first)]) == 0
        await other.done(TALLY, [first])
        assert await sealed(tallies) == [second]
        assert [claim.content for claim in await Worker(lanes).drain()] == [b"5"]

    async def test_what_was_added_meanwhile_stays(self, tallies: Tallies, clock: StandingClock) -> None:
        await tallies.add(TALLY, "ann", 5)
        [batch] = await sealed(tallies)
        await tallies.add(TALLY, "ann", 3)
        await tallies.post(TALLY, [job_of(batch)])
        assert await tallies.waiting(TALLY) == (1, 3)
        clock.advance(EVERY)
        assert [batch.total for batch in await post_all(tallies)] == [3]

    async def test_a_lane_takes_it_whatever_its_limit_and_its_id(
        self, tallies: Tallies, lanes: LaneStore, clock: StandingClock
    ) -> None:
        await tallies.add(TALLY, "ann", 5)
        [batch] = await sealed(tallies)
        item = job_of(batch, limit=1, named=True, delay=60.0)
        await Sender(lanes).put("before", item[1].id, lane=lane_of("ann"), named=True)
        assert await tallies.post(TALLY, [item]) == 1
        assert ids(await Worker(lanes).drain()) == ["before", item[1].id, item[1].id]

    async def test_jobs_are_in_the_order_of_batches_among_other_jobs(
        self, tallies: Tallies, lanes: LaneStore, clock: StandingClock
    ) -> None:
        sender = Sender(lanes)
        seqs = []
        for number in range(3):
            await tallies.add(TALLY, "ann", number + 1)
            seqs += [batch.seq for batch in await post_all(tallies)]
            await sender.put(f"between-{number}", lane=lane_of("ann"))
            clock.advance(EVERY)
        told = [f"ann:{seqs[0]}", "between-0", f"ann:{seqs[1]}", "between-1", f"ann:{seqs[2]}", "between-2"]
        claims = await Worker(lanes).drain()
        assert ids(claims) == told
        assert sorted(claim.seq for claim in claims) == [claim.seq for claim in claims]

    async def test_many_batches_go_into_many_lanes(self, tallies: Tallies, lanes: LaneStore) -> None:
        for number in range(60):
            await tallies.add(TALLY, f"key-{number}", number + 1)
        assert len(await post_all(tallies)) == 60
        claims = await Worker(lanes).drain()
        assert {claim.lane: claim.content for claim in claims} == {
            lane_of(f"key-{number}"): str(number + 1).encode() for number in range(60)
        }

    async def test_workers_are_called(self, tallies: Tallies, lanes: LaneStore) -> None:
        woken = Woken()
        watch = await lanes.watch([QUEUE], woken)
        await tallies.add(TALLY, "ann", 5)
        await post_all(tallies)
        await woken.next()
        await watch.stop()

    async def test_of_several_who_flush_at_once_each_total_is_one_job(
        self, tallies: Tallies, other: Tallies, lanes: LaneStore
    ) -> None:
        for number in range(30):
            await tallies.add(TALLY, f"key-{number}", 1)

        async def flush(client: Tallies) -> int:
            posted = 0
            while batches := await sealed(client):
                posted += await client.post(TALLY, [job_of(batch) for batch in batches])
            return posted

        assert sum(await asyncio.gather(*(flush(client) for client in (tallies, other) * 2))) == 30
        assert len(await Worker(lanes).drain()) == 30

    async def test_done_forgets_a_batch_whose_job_is_elsewhere(
        self, tallies: Tallies, other: Tallies, lanes: LaneStore
    ) -> None:
        await tallies.add(TALLY, "ann", 5)
        await tallies.add(TALLY, "bob", 3)
        first, second = await sealed(tallies)
        await tallies.done(TALLY, [first])
        await other.done(TALLY, [first])
        assert await tallies.post(TALLY, [job_of(first)]) == 0
        assert await sealed(tallies) == [second]
        assert await Worker(lanes).drain() == []

    async def test_nothing_is_kept_of_what_is_over(
        self, tallies: Tallies, lanes: LaneStore, clock: StandingClock, store: Any
    ) -> None:
        for number in range(10):
            await tallies.add(TALLY, f"key-{number}", 1, f"id-{number}")
        await post_all(tallies)
        await Worker(lanes).drain()
        assert await tallies.waiting(TALLY) == (0, 0)
        clock.advance(REMEMBERED_FOR + 1)
        await self.forget(store, tallies)
        assert await self.kept(store) == []

    async def forget(self, store: Any, tallies: Tallies) -> None:
        """Have the store forget ids whose time is over, where that is done bit by bit."""

    async def test_nothing_to_post_is_nothing(self, tallies: Tallies) -> None:
        assert await tallies.post(TALLY, []) == 0
        await tallies.done(TALLY, [])
