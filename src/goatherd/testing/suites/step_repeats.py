"""Cases: an exchange is repeated, because no answer came."""

import asyncio

from goatherd.errors import Unavailable
from goatherd.model.run_record import LetGo, UnitClaim, UnitSettlement
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.step_people import (
    LINE,
    ONE,
    RUN,
    Plan,
    Worker,
    again,
    failing,
    given,
    key,
    parcels,
    separate,
    stand_in,
    state_of,
    states,
)
from goatherd.testing.suites.step_store import StepsCases, StepStore

MAP = Plan(each=(), all=["each"])


class UnitRepeatCases(StepsCases):
    """Part of `StepsSuite`."""

    async def test_a_claim_is_given_again(self, steps: StepStore, other: StepStore) -> None:
        await ONE.begin(steps, "a", "b")
        worker = Worker(steps)
        claims = await worker.claim(key("work", run="a"), key("work", run="b"), key("none", run="b"))
        assert list((await worker.repeat()).claims) == list(claims)
        worker.steps = other
        assert list((await worker.repeat()).claims) == list(claims)

    async def test_a_claim_is_given_again_only_as_far_as_the_worker_has_it(
        self, steps: StepStore, clock: StandingClock
    ) -> None:
        await ONE.begin(steps, *"abcd")
        worker, another = Worker(steps, lease=10.0), Worker(steps)
        claims = given(await worker.claim(*(key("work", run=run) for run in "abcd")))
        clock.advance(10.0)
        await another.one(run="b")
        await steps.beat([claims[2].hold], 10.0)
        assert await steps.reap(10) == 2
        await another.do("work", run="a")
        repeated = (await worker.repeat()).claims
        assert [isinstance(claim, UnitClaim) for claim in repeated] == [False, False, True, False]
        assert repeated[2] == claims[2]
        # To ask again is not to claim: what was reaped is still for whoever is told of it.
        assert list(await steps.beat([claim.hold for claim in claims], 10.0)) == [False, False, True, False]
        assert (await another.one(run="d")).key.run == "d"

    async def test_a_claim_is_not_given_again_when_its_run_has_ended(self, steps: StepStore) -> None:
        await ONE.begin(steps, "a", "b")
        worker = Worker(steps)
        await worker.claim(key("work", run="a"), key("work", run="b"))
        await steps.cancel("b")
        first, second = (await worker.repeat()).claims
        assert isinstance(first, UnitClaim)
        assert second == "over"

    async def test_what_was_refused_is_not_given_when_it_is_repeated(self, steps: StepStore) -> None:
        await LINE.begin(steps)
        worker, another = Worker(steps, LINE), Worker(steps, LINE)
        assert list(await worker.claim(key("second"))) == ["early"]
        await another.do("first")
        assert list((await worker.repeat()).claims) == ["early"]
        assert await LINE.taken(steps) == ["second"]

    async def test_a_settlement_that_is_repeated_is_answered_as_before(self, steps: StepStore) -> None:
        await LINE.begin(steps, *"abcdef")
        worker = Worker(steps, LINE)
        a, b, c, d, e, f = given(await worker.claim(*(key("first", run=run) for run in "abcdef")))
        lost = await worker.exchange(LetGo(hold=f.hold), wanted=[key("first", run="f")])
        assert given(lost.claims)
        settled: list[UnitSettlement] = [
            worker.success(a, b"1"), worker.left_out(b), again(c, failures=4), stand_in(d), failing(e),
            worker.success(f, b"late"), failing(f),
        ]  # fmt: skip
        answers = list((await worker.exchange(*settled)).settled)
        assert answers[:5] == [True] * 5
        before = [await states(steps, run) for run in "abcdef"]
        for _ in range(2):
            assert list((await worker.repeat()).settled) == answers
        assert [await states(steps, run) for run in "abcdef"] == before
        assert len(await steps.letters(10)) == 1
        assert (await worker.one("first", run="c")).failures == 4
        assert sorted(await LINE.taken(steps)) == ["a/second", "b/second", "d/first"]

    async def test_a_join_is_not_counted_twice(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(2))
        await worker.exchange(worker.success(await worker.one("each", 0), b"0"))
        repeated = await worker.repeat()
        assert list(repeated.settled) == [True]
        assert list(repeated.advances) == []
        assert (await states(steps))["each"] == "spread"
        assert list(await worker.claim(key("all"))) == ["early"]
        await worker.do("each", 1, b"1")
        assert list(await steps.results([(RUN, "each")])) == [b"[0,1]"]

    async def test_a_settlement_under_another_number_is_not_carried_out_twice(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(3), at_once=1)
        claim = await worker.one("each", 0)
        for _ in range(3):
            assert await worker.settle(worker.success(claim, b"0"))
        assert (await worker.one("each", 1)).content == b"1"
        assert list(await worker.claim(key("each", 2))) == ["early"]
        assert (await states(steps))["each"] == "spread"

    async def test_a_separation_is_not_carried_out_twice(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(1, size=3))
        claim = await worker.one("each", 0)
        assert await worker.settle(separate(claim))
        await worker.do("each", 1, b"1")
        await worker.exchange(separate(claim))
        assert list(await worker.claim(key("each", 1))) == ["over"]
        for item in (0, 2):
            await worker.do("each", item, b"%d" % item)
        assert list(await steps.results([(RUN, "each")])) == [b"[0,1,2]"]

    async def test_a_decision_that_is_repeated_is_answered_as_before(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        decided = [worker.spreading("each", parcels(2)), worker.spreading("each", parcels(3))]
        await worker.exchange(decided=decided, wanted=[key("each", 0)])
        repeated = await worker.repeat()
        assert list(repeated.decided) == [True, False]
        assert given(repeated.claims)[0].key == key("each", 0)
        assert await MAP.taken(steps) == ["each/1"]

    async def test_an_exchange_that_comes_late_changes_nothing(self, steps: StepStore) -> None:
        await ONE.begin(steps, "a", "b")
        worker = Worker(steps)
        claim = await worker.one(run="a")
        worker.number += 5
        await worker.exchange()
        worker.number -= 3
        try:
            exchanged = await worker.exchange(wanted=[key("work", run="b")])
        except Unavailable:
            pass
        else:
            assert not [claim for claim in exchanged.claims if isinstance(claim, UnitClaim)]
        assert list(await steps.beat([claim.hold], 10.0)) == [True]

    async def test_repeats_at_the_same_moment_are_one_exchange(self, steps: StepStore, other: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(2))
        claim = await worker.one("each", 0)
        await worker.exchange(worker.success(claim, b"0"), wanted=[key("each", 1)])
        twin = Worker(other, MAP)
        twin.name, twin.number, twin._last = worker.name, worker.number, worker._last
        answers = await asyncio.gather(worker.repeat(), twin.repeat(), worker.repeat(), twin.repeat())
        assert len({given(answer.claims)[0].token for answer in answers}) == 1
        assert all(list(answer.settled) == [True] for answer in answers)
        assert await state_of(steps) == "running"
        assert (await states(steps))["each"] == "spread"
