"""The suite of the lanes on PostgreSQL, and what only its adapter promises."""

import asyncio
from collections import Counter

import pytest

from goatherd.model.lane import Claim, Commit, Release
from goatherd.testing.suites import LanesSuite
from goatherd.testing.suites.lane_people import LANE, Sender, Worker, item
from goatherd.testing.suites.lane_store import LaneStore, StandingClock
from tests.conformance.postgres_store import PostgresLaneStore, asked

pytestmark = pytest.mark.servers("postgres")


class TestPostgresLanes(PostgresLaneStore, LanesSuite):
    async def test_only_numbers_are_kept_of_a_lane_and_only_until_the_clock_is_past_them(
        self, store: str, lanes: LaneStore, clock: StandingClock
    ) -> None:
        await Sender(lanes).put("a", "b", "c")
        worker = Worker(lanes)
        await worker.drain()
        [numbers] = await asked("SELECT condition, token FROM goatherd.lane_head WHERE app = %s", store)
        assert numbers[0] == "empty"
        clock.advance(0.001)
        assert (await worker.exchange()).next_due is None
        assert await asked("SELECT 1 FROM goatherd.lane_head WHERE app = %s", store) == []
        assert await asked("SELECT 1 FROM goatherd.lane_tail WHERE app = %s", store) == []

    async def test_ids_and_peers_are_forgotten_in_time(
        self, store: str, lanes: LaneStore, clock: StandingClock
    ) -> None:
        for number in range(3):
            await Sender(lanes).put(f"job-{number}", lane=f"mail/to={number}", named=True)
        worker = Worker(lanes)
        await worker.drain()
        clock.advance(4000.0)
        for _ in range(64):
            await worker.exchange()
        assert await asked("SELECT 1 FROM goatherd.lane_name WHERE app = %s", store) == []
        assert await asked("SELECT peer FROM goatherd.lane_peer WHERE app = %s", store) == [(f"worker {worker.name}",)]


class TestOnItsOwnClock(PostgresLaneStore):
    """What is done only now and then, when there is much to do, is done always where time is given."""

    async def test_two_clients_never_share_a_lane_and_keep_its_order(self, store: str) -> None:
        one, two = await self.open(store), await self.open(store)
        keys = [f"mail/to={number}" for number in range(200)]
        try:
            for place in range(5):
                await Sender(one).send(*(item(f"{place}", key) for key in keys))
            busy: set[str] = set()
            done: list[Claim] = []

            async def drain(worker: Worker) -> None:
                claims: list[Claim] = []
                while len(done) < 1000:
                    exchanged = await worker.exchange(*(Commit(hold=claim.hold) for claim in claims), wanted=16)
                    assert all(exchanged.settled)
                    claims = list(exchanged.claims)
                    lanes = {claim.lane for claim in claims}
                    assert not lanes & busy
                    busy.update(lanes)
                    # Others go on meanwhile.
                    await asyncio.sleep(0.001)
                    busy.difference_update(lanes)
                    done.extend(claims)
                await worker.commit(*claims)

            async with asyncio.timeout(30):
                await asyncio.gather(*(drain(Worker(lanes)) for lanes in (one, two, one, two)))
        finally:
            await one.close()
            await two.close()
        assert Counter(claim.lane for claim in done) == dict.fromkeys(keys, 5)
        for key in keys:
            assert [claim.id for claim in done if claim.lane == key] == ["0", "1", "2", "3", "4"]
        assert await self.kept(store) == []

    async def test_what_was_released_is_found_although_later_ones_were_claimed(self, store: str) -> None:
        lanes = await self.open(store)
        try:
            await Sender(lanes).put_each([f"mail/to={number}" for number in range(100)])
            leaving, busy = Worker(lanes), Worker(lanes)
            [first] = await leaving.claim(1)
            taken = [claim for _ in range(9) for claim in await busy.claim(10)]
            await leaving.exchange(Release(hold=first.hold))
            rest = await busy.claim(100)
            assert len({claim.lane for claim in (*taken, *rest)}) == 100
        finally:
            await lanes.close()

    async def test_a_lease_runs_out_while_others_are_busy(self, store: str) -> None:
        lanes = await self.open(store)
        try:
            await Sender(lanes).put_each([LANE])
            await Worker(lanes, lease=0.05).claim(1)
            sender, worker = Sender(lanes), Worker(lanes)
            async with asyncio.timeout(10):
                for number in range(100_000):
                    await sender.put_each([f"mail/to=busy-{number}"])
                    [claim] = await worker.claim(1)
                    await worker.commit(claim, wanted=0)
                    if claim.lane == LANE:
                        break
            assert (claim.lane, claim.deaths) == (LANE, 1)
        finally:
            await lanes.close()
