"""Cases: a head that failed is tried again or given up, as was said when it was sent; no other lane is touched."""

import pytest

from goatherd.model.lane import Commit, Release, TryAgain
from goatherd.testing.suites.lane_people import LANE, Sender, Worker, burial, give_up, ids, item
from goatherd.testing.suites.lane_store import LanesCases, LaneStore, StandingClock


class SettlementCases(LanesCases):
    """Part of `LanesSuite`."""

    async def test_a_head_that_failed_holds_its_lane_and_no_other(self, lanes: LaneStore, clock: StandingClock) -> None:
        await Sender(lanes).send(item("a", "mail/to=1"), item("b", "mail/to=1"), item("x", "mail/to=2"))
        worker = Worker(lanes)
        failing, other = sorted(await worker.claim(2), key=lambda claim: claim.id)
        await worker.exchange(TryAgain(hold=failing.hold, content=b"second try", delay=20.0))
        exchanged = await worker.commit(other, wanted=5)
        assert list(exchanged.claims) == []
        assert exchanged.next_due == pytest.approx(20.0, abs=0.01)
        clock.advance(19.0)
        assert await worker.claim(5) == []
        clock.advance(1.5)
        again = await worker.one()
        assert (again.id, again.content, again.deaths, again.seq) == ("a", b"second try", 0, failing.seq)
        assert again.token > failing.token
        await worker.commit(again)
        assert ids(await worker.drain()) == ["b"]

    async def test_jobs_join_a_lane_that_waits(self, lanes: LaneStore, clock: StandingClock) -> None:
        sender, worker = Sender(lanes), Worker(lanes)
        await sender.put("a")
        claim = await worker.one()
        await worker.exchange(TryAgain(hold=claim.hold, content=b"again", delay=20.0))
        assert [placement.ahead for placement in await sender.put("b")] == [1]
        assert await worker.claim(5) == []
        clock.advance(21.0)
        assert ids(await worker.drain()) == ["a", "b"]

    async def test_a_head_may_be_tried_again_at_once(self, lanes: LaneStore) -> None:
        await Sender(lanes).put("a", "b")
        worker = Worker(lanes)
        claim = await worker.one()
        exchanged = await worker.exchange(TryAgain(hold=claim.hold, content=b"again", delay=0.0), wanted=1)
        assert [(again.id, again.content) for again in exchanged.claims] == [("a", b"again")]

    async def test_a_lane_is_held_when_its_head_is_given_up(self, lanes: LaneStore, clock: StandingClock) -> None:
        sender, worker = Sender(lanes), Worker(lanes)
        await sender.put("a", "b", on_exhausted="hold")
        claim = await worker.one()
        exchanged = await worker.exchange(give_up(claim), wanted=5)
        assert (list(exchanged.settled), list(exchanged.claims), exchanged.next_due) == ([True], [], None)
        assert not exchanged.letters
        assert [placement.ahead for placement in await sender.put("c")] == [2]
        clock.advance(10_000.0)
        assert await worker.claim(5) == []
        state = await lanes.get(LANE)
        assert state is not None
        assert (state.condition, state.head, state.length, state.burial) == ("held", "a", 3, burial())
        assert (state.worker, state.until) == (None, None)

    async def test_a_head_is_skipped_when_it_is_given_up(self, lanes: LaneStore) -> None:
        await Sender(lanes).put("a", "b", on_exhausted="skip")
        worker = Worker(lanes)
        exchanged = await worker.exchange(give_up(await worker.one()), wanted=5)
        assert (list(exchanged.settled), ids(exchanged.claims), exchanged.letters) == ([True], ["b"], True)
        [letter] = await lanes.letters(10)
        assert (letter.content, letter.lane, letter.burial) == (b"a", LANE, burial())

    async def test_the_rest_is_cancelled_when_the_head_is_given_up(
        self, lanes: LaneStore, clock: StandingClock
    ) -> None:
        sender, worker = Sender(lanes), Worker(lanes)
        await sender.put("x", lane="mail/to=8")
        await sender.put("later", delay=5.0)
        await sender.put("a", "b", "c", on_exhausted="cancel_rest")
        claims = {claim.id: claim for claim in await worker.claim(5)}
        exchanged = await worker.exchange(give_up(claims["a"], message="it is gone"), wanted=5)
        assert (list(exchanged.settled), list(exchanged.claims), exchanged.letters) == ([True], [], True)
        first, *rest = await lanes.letters(10)
        assert (first.content, first.burial) == (b"a", burial("it is gone"))
        assert [letter.content for letter in rest] == [b"b", b"c"]
        told = "the job ahead of it in its lane, a, was given up: it is gone"
        for letter in rest:
            assert letter.burial == burial(
                told, reason="rejected", error_type="LaneCancelled", traceback="", attempts=0
            )  # fmt: skip
        assert await lanes.get(LANE) is None
        # Those that were not in the lane are spared: other lanes, and who joins afterwards.
        assert list((await worker.commit(claims["x"])).settled) == [True]
        clock.advance(6.0)
        assert ids(await worker.drain()) == ["later"]

    async def test_a_last_job_that_is_given_up_leaves_no_lane(self, lanes: LaneStore) -> None:
        sender, worker = Sender(lanes), Worker(lanes)
        for policy in ("skip", "cancel_rest"):
            await sender.put(policy, on_exhausted=policy)
            await worker.exchange(give_up(await worker.one()))
            assert await lanes.get(LANE) is None
        assert [letter.content for letter in await lanes.letters(10)] == [b"skip", b"cancel_rest"]

    async def test_the_policy_is_that_of_the_head(self, lanes: LaneStore) -> None:
        await Sender(lanes).send(
            item("a", on_exhausted="skip"), item("b", on_exhausted="hold"), item("c", on_exhausted="cancel_rest")
        )  # fmt: skip
        worker = Worker(lanes)
        await worker.exchange(give_up(await worker.one()))
        await worker.exchange(give_up(await worker.one()))
        state = await lanes.get(LANE)
        assert state is not None
        assert (state.condition, state.head) == ("held", "b")
        assert [letter.content for letter in await lanes.letters(10)] == [b"a"]

    async def test_whoever_gives_up_may_say_another_policy(self, lanes: LaneStore) -> None:
        await Sender(lanes).put("a", "b", "c", on_exhausted="hold")
        worker = Worker(lanes)
        [second] = (await worker.exchange(give_up(await worker.one(), "skip"), wanted=1)).claims
        assert second.id == "b"
        await worker.exchange(give_up(second, "cancel_rest"))
        assert [letter.content for letter in await lanes.letters(10)] == [b"a", b"b", b"c"]
        assert await lanes.get(LANE) is None

    async def test_many_are_settled_in_one_exchange_each_in_its_way(
        self, lanes: LaneStore, clock: StandingClock
    ) -> None:
        keys = [f"mail/to={number}" for number in range(5)]
        await Sender(lanes).send(*(item(f"{key} {place}", key) for key in keys for place in "ab"))
        worker = Worker(lanes)
        claims = {claim.lane: claim for claim in await worker.claim(5)}
        committed, released, again, skipped, held = (claims[key] for key in keys)
        exchanged = await worker.exchange(
            Commit(hold=committed.hold),
            Release(hold=released.hold),
            TryAgain(hold=again.hold, content=b"again", delay=20.0),
            give_up(skipped, "skip"),
            give_up(held),
            Commit(hold=committed.hold),
            wanted=10,
        )
        assert list(exchanged.settled) == [True, True, True, True, True, False]
        assert set(ids(exchanged.claims)) == {f"{keys[0]} b", f"{keys[1]} a", f"{keys[3]} b"}
        conditions = {state.key: state.condition for state in await lanes.find()}
        expected = ["running", "running", "waiting", "running", "held"]
        assert conditions == dict(zip(keys, expected, strict=True))

    async def test_a_long_lane_is_cancelled_in_one_step(self, lanes: LaneStore) -> None:
        await Sender(lanes).put(*(f"{number}" for number in range(500)), on_exhausted="cancel_rest")
        worker = Worker(lanes)
        await worker.exchange(give_up(await worker.one()))
        letters = await lanes.letters(1000)
        assert [letter.content for letter in letters] == [str(number).encode() for number in range(500)]
        assert len({letter.id for letter in letters}) == 500
        assert await lanes.get(LANE) is None
