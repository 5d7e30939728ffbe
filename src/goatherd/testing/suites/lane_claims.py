"""Cases: who gets a lane, and when it is whose turn."""

import asyncio

from goatherd.model.lane import Release
from goatherd.testing.suites.lane_people import LANE, Sender, Worker, ids, item
from goatherd.testing.suites.lane_store import LanesCases, LaneStore


class ClaimCases(LanesCases):
    """Part of `LanesSuite`."""

    async def test_a_worker_gets_no_more_than_it_wants(self, lanes: LaneStore) -> None:
        await Sender(lanes).put_each([f"mail/to={number}" for number in range(5)])
        worker = Worker(lanes)
        assert await worker.claim(0) == []
        assert len(await worker.claim(2)) == 2
        assert len(await worker.claim(10)) == 3

    async def test_a_worker_gets_only_jobs_of_its_queues(self, lanes: LaneStore) -> None:
        await Sender(lanes).send(item("a", "mail/to=1"), item("b", "sms/to=1", queue="sms"))
        assert ids(await Worker(lanes, "sms", "fax").claim(10)) == ["b"]
        assert await Worker(lanes, "fax").claim(10) == []
        assert ids(await Worker(lanes, "mail").claim(10)) == ["a"]

    async def test_a_shared_lane_is_claimed_by_workers_of_its_heads_queue_alone(self, lanes: LaneStore) -> None:
        posts = Worker(lanes, "posts")
        likes = Worker(lanes, "likes")
        jobs = [("p1", "posts"), ("l1", "likes"), ("l2", "likes"), ("p2", "posts")]
        await Sender(lanes).send(*(item(id, "post=7", queue=queue) for id, queue in jobs))
        done = []
        for turn, idle in [(posts, likes), (likes, posts), (likes, posts), (posts, likes)]:
            assert await idle.claim(10) == []
            claim = await turn.one()
            assert claim.queue == turn.queues[0]
            assert await idle.claim(10) == []
            done.append(claim.id)
            await turn.commit(claim)
        assert done == ["p1", "l1", "l2", "p2"]

    async def test_lanes_take_turns(self, lanes: LaneStore) -> None:
        keys = ["mail/to=1", "mail/to=2", "mail/to=3"]
        await Sender(lanes).send(*(item(f"{key} {place}", key) for key in keys for place in range(3)))
        done = await Worker(lanes).drain(1)
        assert [claim.lane for claim in done] == keys * 3

    async def test_a_lane_that_was_settled_goes_to_the_end(self, lanes: LaneStore) -> None:
        sender, worker = Sender(lanes), Worker(lanes)
        await sender.put("hot1", "hot2", lane="mail/to=hot")
        hot = await worker.one()
        await sender.put_each(["mail/to=1", "mail/to=2"])
        await worker.commit(hot)
        assert ids(await worker.drain(1)) == ["mail/to=1", "mail/to=2", "hot2"]

    async def test_a_hot_lane_starves_nobody(self, lanes: LaneStore, other: LaneStore) -> None:
        sender, worker, second = Sender(lanes), Worker(lanes), Worker(other)
        await sender.put(*(f"hot{number}" for number in range(200)), lane="mail/to=hot")
        hot = await worker.one()
        cold = [f"mail/to={number}" for number in range(4)]
        await sender.put_each(cold)
        # One of them works on the hot lane all the time; the other has its hands free for the rest.
        assert ids(await second.claim(2)) == cold[:2]
        claims = list((await worker.commit(hot, wanted=2)).claims)
        assert ids(claims) == cold[2:]
        assert ids((await worker.commit(*claims, wanted=2)).claims) == ["hot1"]

    async def test_a_thousand_lanes_are_claimed_in_turns(self, lanes: LaneStore) -> None:
        keys = [f"mail/to={number}" for number in range(1000)]
        sender = Sender(lanes)
        for place in range(2):
            await sender.send(*(item(f"{place}", key) for key in keys))
        done = await Worker(lanes).drain(100)
        assert [claim.lane for claim in done] == keys * 2
        assert ids(done) == ["0"] * 1000 + ["1"] * 1000

    async def test_queues_take_turns(self, lanes: LaneStore) -> None:
        sender = Sender(lanes)
        await sender.put_each([f"mail/to={number}" for number in range(50)])
        await sender.put_each([f"sms/to={number}" for number in range(50)], queue="sms")
        worker = Worker(lanes, "mail", "sms")
        first = await worker.claim(10)
        assert {queue: [claim.queue for claim in first].count(queue) for queue in ("mail", "sms")} == {
            "mail": 5,
            "sms": 5,
        }
        singles = [claim.queue for _ in range(8) for claim in await worker.claim(1)]
        assert sorted(singles) == ["mail"] * 4 + ["sms"] * 4

    async def test_a_queue_that_has_nothing_leaves_its_share_to_others(self, lanes: LaneStore) -> None:
        sender = Sender(lanes)
        await sender.put_each([f"mail/to={number}" for number in range(20)])
        await sender.put("only", lane="sms/to=1", queue="sms")
        claims = await Worker(lanes, "fax", "mail", "sms").claim(12)
        assert len(claims) == 12
        assert "only" in ids(claims)

    async def test_no_lane_is_given_twice(self, lanes: LaneStore, other: LaneStore) -> None:
        keys = [f"mail/to={number}" for number in range(60)]
        await Sender(lanes).put_each(keys)
        workers = [Worker(lanes), Worker(other), Worker(lanes), Worker(other)]
        rounds = [
            await asyncio.gather(*(worker.claim(wanted) for worker, wanted in zip(workers, (1, 4, 7, 5), strict=True)))
            for _ in range(4)
        ]
        taken = [claim.lane for claims in rounds for part in claims for claim in part]
        assert sorted(taken) == sorted(keys)

    async def test_what_is_released_is_claimed_next_as_if_nothing_had_been(
        self, lanes: LaneStore, other: LaneStore
    ) -> None:
        await Sender(lanes).put_each(["mail/to=1", "mail/to=2", "mail/to=3"])
        leaving, worker = Worker(lanes), Worker(other)
        claims = await leaving.claim(2)
        exchanged = await leaving.exchange(*(Release(hold=claim.hold) for claim in claims))
        assert list(exchanged.settled) == [True, True]
        again = await worker.claim(3)
        assert sorted(ids(again[:2])) == ["mail/to=1", "mail/to=2"]
        assert ids(again[2:]) == ["mail/to=3"]
        assert [claim.deaths for claim in again] == [0, 0, 0]
        assert all(
            new.token > old.token and new.seq == old.seq
            for new in again for old in claims if new.lane == old.lane
        )  # fmt: skip

    async def test_what_is_settled_makes_room_within_the_same_exchange(self, lanes: LaneStore) -> None:
        await Sender(lanes).put("a", "b")
        worker = Worker(lanes)
        exchanged = await worker.commit(await worker.one(), wanted=5)
        assert (list(exchanged.settled), ids(exchanged.claims)) == ([True], ["b"])
        state = await lanes.get(LANE)
        assert state is not None
        assert (state.condition, state.worker, state.length) == ("running", worker.name, 1)
