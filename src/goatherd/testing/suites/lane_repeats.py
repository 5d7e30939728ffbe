"""Cases: a call that is made again because no answer came gets the same answer, and nothing happens twice."""

import pytest

from goatherd.errors import Unavailable
from goatherd.model.lane import REMEMBERED_FOR, Commit, Exchange, Release, Settlement
from goatherd.testing.suites.lane_people import LANE, QUEUE, Sender, Worker, give_up, ids, item
from goatherd.testing.suites.lane_store import LanesCases, LaneStore, StandingClock


class RepeatCases(LanesCases):
    """Part of `LanesSuite`."""

    async def test_jobs_that_are_sent_again_are_taken_once(
        self, lanes: LaneStore, other: LaneStore, clock: StandingClock
    ) -> None:
        sender = Sender(lanes)
        await sender.put("before")
        items = [item("a", limit=2), item("later", delay=5.0), item("x", "mail/to=8"), item("b", limit=2)]
        answers = await sender.send(*items)
        assert [answer.answer for answer in answers] == ["placed", "later", "placed", "full"]
        assert await sender.repeat() == answers
        assert list(await other.enqueue(sender.name, sender.number, items)) == answers
        done = await Worker(lanes).drain()
        assert sorted(ids(done)) == ["a", "before", "x"]
        # Even after all of them are done.
        assert await sender.repeat() == answers
        assert await Worker(lanes).claim(10) == []
        clock.advance(6.0)
        assert ids(await Worker(lanes).drain()) == ["later"]

    async def test_senders_and_workers_do_not_share_numbers(self, lanes: LaneStore) -> None:
        one, two = Sender(lanes), Sender(lanes)
        worker = Worker(lanes)
        one.name = two.name + " "
        worker.name = two.name
        await one.put("a")
        await two.put("b")
        assert ids(await worker.drain()) == ["a", "b"]

    async def test_an_older_call_that_comes_late_changes_nothing(self, lanes: LaneStore) -> None:
        sender, worker = Sender(lanes), Worker(lanes)
        await sender.put("a")
        await sender.put("b")
        with pytest.raises(Unavailable):
            await lanes.enqueue(sender.name, 1, [item("a")])
        claim = await worker.one()
        await worker.exchange()
        late = Exchange(worker=worker.name, number=1, settled=[Commit(hold=claim.hold)], queues=[QUEUE], wanted=5)
        with pytest.raises(Unavailable):
            await lanes.exchange(late)
        assert [job.id for job in await lanes.jobs(LANE, 10)] == ["a", "b"]
        assert list((await worker.commit(claim)).settled) == [True]

    async def test_a_repeated_exchange_gives_the_same_claims(self, lanes: LaneStore, other: LaneStore) -> None:
        sender, worker = Sender(lanes), Worker(lanes)
        await sender.put_each(["mail/to=1", "mail/to=2", "mail/to=3"])
        claims = await worker.claim(2)
        again = await worker.repeat()
        assert list(again.claims) == claims
        assert ids(await Worker(other).claim(10)) == ["mail/to=3"]
        assert list((await worker.commit(*claims)).settled) == [True, True]

    async def test_an_answer_that_was_lost_costs_nothing(self, lanes: LaneStore) -> None:
        await Sender(lanes).send(*(item(f"{lane}{place}", f"mail/to={lane}") for place in range(2) for lane in "abc"))
        worker = Worker(lanes)
        claims = await worker.claim(3)
        # The answer to this one is lost on its way, so it is made again.
        await worker.commit(*claims, wanted=3)
        exchanged = await worker.repeat()
        assert list(exchanged.settled) == [True, True, True]
        assert ids(exchanged.claims) == ["a1", "b1", "c1"]
        assert list((await worker.commit(*exchanged.claims)).settled) == [True, True, True]
        assert await worker.claim(10) == []

    async def test_every_kind_of_settlement_is_carried_out_once(self, lanes: LaneStore) -> None:
        await Sender(lanes).put("a", "b", "c", on_exhausted="skip")
        worker = Worker(lanes)
        for kind, left in [("skip", ["b", "c"]), ("release", ["b", "c"]), ("commit", ["c"])]:
            claim = await worker.one()
            settlements: dict[str, Settlement] = {
                "skip": give_up(claim), "release": Release(hold=claim.hold), "commit": Commit(hold=claim.hold)
            }  # fmt: skip
            first = await worker.exchange(settlements[kind])
            assert list(first.settled) == list((await worker.repeat()).settled) == [True]
            assert [job.id for job in await lanes.jobs(LANE, 10)] == left
        assert [letter.content for letter in await lanes.letters(10)] == [b"a"]

    async def test_a_refusal_is_repeated_too(self, lanes: LaneStore, clock: StandingClock) -> None:
        await Sender(lanes).put("a")
        zombie, worker = Worker(lanes, lease=10.0), Worker(lanes)
        lost = await zombie.one()
        clock.advance(11.0)
        claim = await worker.one()
        assert list((await zombie.commit(lost)).settled) == [False]
        assert list((await zombie.repeat()).settled) == [False]
        assert list((await worker.commit(claim)).settled) == [True]

    async def test_a_repeated_exchange_gives_only_what_the_worker_still_has(
        self, lanes: LaneStore, other: LaneStore, clock: StandingClock
    ) -> None:
        await Sender(lanes).put_each(["mail/to=1", "mail/to=2"])
        slow, worker = Worker(lanes, lease=10.0), Worker(other)
        claims = await slow.claim(2)
        clock.advance(5.0)
        kept = claims[1]
        await lanes.beat([kept.hold], 30.0)
        clock.advance(6.0)
        assert ids(await worker.claim(10)) == [claims[0].id]
        assert list((await slow.repeat()).claims) == [kept]

    async def test_a_job_with_a_name_is_taken_once(self, lanes: LaneStore, other: LaneStore) -> None:
        [first] = await Sender(lanes).put("order-7", named=True)
        assert first.answer == "placed"
        [again] = await Sender(other).put("order-7", named=True)
        assert again.answer == "known"
        assert ids(await Worker(lanes).drain()) == ["order-7"]
        [after] = await Sender(other).put("order-7", named=True)
        assert after.answer == "known"
        assert await Worker(lanes).claim(5) == []

    async def test_a_name_counts_within_one_call_and_for_delayed_jobs(
        self, lanes: LaneStore, clock: StandingClock
    ) -> None:
        sender = Sender(lanes)
        placed = await sender.put("a", "b", "a", named=True)
        assert [placement.answer for placement in placed] == ["placed", "placed", "known"]
        placed = await sender.put("c", "c", named=True, delay=5.0)
        assert [placement.answer for placement in placed] == ["later", "known"]
        clock.advance(6.0)
        [again] = await sender.put("c", named=True)
        assert again.answer == "known"
        assert ids(await Worker(lanes).drain()) == ["a", "b", "c"]

    async def test_jobs_whose_ids_nobody_chose_are_not_remembered(self, lanes: LaneStore) -> None:
        sender = Sender(lanes)
        placed = [*await sender.put("a"), *await sender.put("a"), *await sender.put("a", named=True)]
        assert [placement.answer for placement in placed] == ["placed"] * 3

    async def test_a_name_is_not_taken_by_a_job_that_was_not(self, lanes: LaneStore) -> None:
        sender = Sender(lanes)
        await sender.put("a")
        [refused] = await sender.put("b", named=True, limit=1)
        assert refused.answer == "full"
        await Worker(lanes).drain()
        [placed] = await sender.put("b", named=True, limit=1)
        assert placed.answer == "placed"

    async def test_a_name_is_known_for_an_hour(self, lanes: LaneStore, clock: StandingClock) -> None:
        sender = Sender(lanes)
        await sender.put("a", named=True)
        await Worker(lanes).drain()
        clock.advance(REMEMBERED_FOR - 10.0)
        [known] = await sender.put("a", named=True)
        assert known.answer == "known"
        clock.advance(20.0)
        [placed] = await sender.put("a", named=True)
        assert placed.answer == "placed"

    @pytest.mark.parametrize("lease", [1.0, 30.0])
    async def test_a_lease_counts_from_when_the_exchange_was_made_first(
        self, lanes: LaneStore, clock: StandingClock, lease: float
    ) -> None:
        await Sender(lanes).put("a")
        worker = Worker(lanes, lease=lease)
        await worker.one()
        clock.advance(lease / 2)
        again = await worker.repeat()
        assert again.next_due == pytest.approx(lease / 2, abs=0.01)
