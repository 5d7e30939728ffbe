"""Cases: jobs of a lane are done one at a time and in order, whoever sends and whoever works; lanes run in parallel."""

import asyncio
from typing import Any

from goatherd.testing.suites.lane_people import LANE, QUEUE, Sender, Worker, ids, item
from goatherd.testing.suites.lane_store import LanesCases, LaneStore, StandingClock


class OrderCases(LanesCases):
    """Part of `LanesSuite`."""

    async def test_jobs_leave_a_lane_in_the_order_in_which_they_came(self, lanes: LaneStore, other: LaneStore) -> None:
        sender, worker = Sender(lanes), Worker(other)
        await sender.put("a", "b")
        await sender.put("c")
        done = await worker.drain()
        assert ids(done) == ["a", "b", "c"]
        assert [claim.content for claim in done] == [b"a", b"b", b"c"]

    async def test_the_next_job_is_not_given_while_the_head_is_being_done(
        self, lanes: LaneStore, other: LaneStore
    ) -> None:
        await Sender(lanes).put("a", "b")
        worker, second = Worker(lanes), Worker(other)
        head = await worker.one()
        assert await worker.claim(5) == []
        assert await second.claim(5) == []
        await worker.commit(head)
        assert ids(await second.claim(5)) == ["b"]

    async def test_a_claim_tells_all_about_the_job(self, lanes: LaneStore, clock: StandingClock) -> None:
        every_byte = bytes(range(256))
        await Sender(lanes).send(item("a ü🐐", "mail/to=ü 🐐'\"%", content=every_byte, on_exhausted="cancel_rest"))
        claim = await Worker(lanes).one()
        assert (claim.id, claim.lane, claim.queue) == ("a ü🐐", "mail/to=ü 🐐'\"%", QUEUE)
        assert (claim.content, claim.on_exhausted, claim.deaths) == (every_byte, "cancel_rest", 0)
        assert claim.accepted == clock()

    async def test_contents_may_be_empty_or_large(self, lanes: LaneStore) -> None:
        large = bytes(300_000)
        await Sender(lanes).send(item("empty", content=b""), item("large", content=large))
        assert [claim.content for claim in await Worker(lanes).drain()] == [b"", large]

    async def test_lanes_are_done_side_by_side(self, lanes: LaneStore) -> None:
        await Sender(lanes).send(item("a1", "mail/to=1"), item("b1", "mail/to=2"), item("a2", "mail/to=1"))
        claims = await Worker(lanes).claim(10)
        assert {claim.lane: claim.id for claim in claims} == {"mail/to=1": "a1", "mail/to=2": "b1"}

    async def test_a_placement_tells_how_many_are_ahead(self, lanes: LaneStore) -> None:
        sender, worker = Sender(lanes), Worker(lanes)
        placed = await sender.put("a", "b")
        assert [(placement.answer, placement.ahead) for placement in placed] == [("placed", 0), ("placed", 1)]
        head = await worker.one()
        assert [placement.ahead for placement in await sender.put("c")] == [2]
        await worker.commit(head)
        assert [placement.ahead for placement in await sender.put("d")] == [2]
        await sender.put("x", lane="mail/to=8")
        assert [placement.ahead for placement in await sender.put("y", lane="mail/to=8")] == [1]

    async def test_the_order_of_each_sender_is_kept(self, lanes: LaneStore, other: LaneStore) -> None:
        names = [f"{who}{number}" for number in range(10) for who in "ab"]

        async def send(sender: Sender, who: str) -> None:
            for number in range(10):
                await sender.put(f"{who}{number}")

        await asyncio.gather(send(Sender(lanes), "a"), send(Sender(other), "b"))
        done = ids(await Worker(lanes).drain())
        assert sorted(done) == sorted(names)
        for who in "ab":
            assert [id for id in done if id[0] == who] == [f"{who}{number}" for number in range(10)]

    async def test_seqs_grow_along_the_lane_and_stay_with_their_jobs(self, lanes: LaneStore) -> None:
        await Sender(lanes).put(*"abcde")
        listed = {job.id: job.seq for job in await lanes.jobs(LANE, 10)}
        done = await Worker(lanes).drain()
        assert {claim.id: claim.seq for claim in done} == listed
        assert list(listed.values()) == sorted(set(listed.values()))

    async def test_calls_without_anything_in_them_do_nothing(self, lanes: LaneStore) -> None:
        assert await Sender(lanes).send() == []
        exchanged = await Worker(lanes).exchange(wanted=10)
        assert (list(exchanged.settled), list(exchanged.claims)) == ([], [])
        assert (exchanged.next_due, exchanged.letters) == (None, False)
        assert list(await lanes.beat([], 30.0)) == []

    async def test_two_workers_drain_many_lanes_in_order(self, lanes: LaneStore, other: LaneStore) -> None:
        keys = [f"mail/to={number}" for number in range(20)]
        await Sender(lanes).send(*(item(f"{key} {place}", key) for place in range(5) for key in keys))
        both = await asyncio.gather(Worker(lanes).drain(3), Worker(other).drain(4))
        done = [claim for claims in both for claim in claims]
        assert len(done) == 100
        for key in keys:
            of_lane = sorted((claim for claim in done if claim.lane == key), key=lambda claim: claim.token)
            assert ids(of_lane) == [f"{key} {place}" for place in range(5)]
            assert [claim.seq for claim in of_lane] == sorted({claim.seq for claim in of_lane})

    async def test_nothing_is_kept_of_lanes_that_were_drained(
        self, store: Any, lanes: LaneStore, clock: StandingClock
    ) -> None:
        sender, worker = Sender(lanes), Worker(lanes)
        for _ in range(2):
            await sender.send(*(item(f"{number}", f"mail/to={number % 30}") for number in range(90)))
            await sender.put("later", delay=10.0)
            assert len(await worker.drain()) == 90
            clock.advance(11.0)
            assert len(await worker.drain()) == 1
        assert await lanes.get(LANE) is None
        assert list(await lanes.find()) == []
        clock.advance(1.0)
        exchanged = await worker.exchange(wanted=1)
        assert exchanged.next_due is None
        assert list(await self.kept(store)) == []
