"""Cases: who gets a unit, or why not."""

import asyncio

from goatherd.model.run_record import UnitClaim, UnitHold
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.step_people import (
    DIAMOND,
    LINE,
    ONE,
    Plan,
    Worker,
    again,
    failing,
    given,
    key,
    parcels,
    separate,
)
from goatherd.testing.suites.step_store import StepsCases, StepStore

MAP = Plan(each=(), all=["each"])


class UnitClaimCases(StepsCases):
    """Part of `StepsSuite`."""

    async def test_a_claim_tells_all_of_the_unit(self, steps: StepStore, clock: StandingClock) -> None:
        await steps.begin([MAP.run(priority=3)])
        began = clock.time
        clock.advance(2.0)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(2, size=3))
        clock.advance(2.0)
        claim = await worker.one("each", 3)
        assert claim == UnitClaim(
            key=key("each", 3), pipeline="film", token=claim.token, size=3, content=b"3,4,5", phase="do", failures=0,
            deaths=0, trouble=None, trace_id="trace-run-1", priority=3, accepted=began + 2.0, created=began,
            round=claim.round,
        )  # fmt: skip
        assert claim.hold == UnitHold(key=key("each", 3), token=claim.token)

    async def test_units_of_several_runs_are_claimed_in_one_exchange(self, steps: StepStore) -> None:
        await ONE.begin(steps, "a", "b", "c")
        claims = given(await Worker(steps).claim(*(key("work", run=run) for run in "cab")))
        assert [claim.key.run for claim in claims] == ["c", "a", "b"]

    async def test_a_unit_is_given_to_one_worker_alone(self, steps: StepStore, other: StepStore) -> None:
        await ONE.begin(steps)
        workers = [Worker(client) for client in (steps, other) * 4]
        answers = [answer for [answer] in await asyncio.gather(*(worker.claim(key("work")) for worker in workers))]
        assert sorted(answer for answer in answers if isinstance(answer, str)) == ["taken"] * 7
        assert sum(isinstance(answer, UnitClaim) for answer in answers) == 1

    async def test_one_who_wants_a_unit_twice_gets_it_once(self, steps: StepStore) -> None:
        await ONE.begin(steps)
        claim, refused = await Worker(steps).claim(key("work"), key("work"))
        assert isinstance(claim, UnitClaim)
        assert refused == "taken"

    async def test_what_somebody_has_is_taken(self, steps: StepStore, clock: StandingClock) -> None:
        await ONE.begin(steps)
        await Worker(steps, lease=30.0).one()
        clock.advance(29.0)
        assert list(await Worker(steps).claim(key("work"))) == ["taken"]

    async def test_what_is_done_or_failed_is_over(self, steps: StepStore) -> None:
        await DIAMOND.begin(steps)
        worker = Worker(steps, DIAMOND)
        await worker.do("cut")
        await worker.settle(worker.left_out(await worker.one("see")))
        await worker.settle(failing(await worker.one("hear")))
        assert list(await worker.claim(*(key(step) for step in ("cut", "see", "hear")))) == ["over"] * 3

    async def test_all_of_a_run_that_has_ended_is_over(self, steps: StepStore) -> None:
        plan = Plan(left=(), right=(), join=["left", "right"])
        await plan.begin(steps, "failed", "cancelled")
        worker = Worker(steps, plan)
        await worker.settle(failing(await worker.one("left", run="failed")))
        await steps.cancel("cancelled")
        for run in ("failed", "cancelled"):
            assert list(await worker.claim(key("right", run=run), key("join", run=run))) == ["over", "over"]

    async def test_what_waits_or_is_held_back_is_early(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        assert list(await worker.claim(key("all"))) == ["early"]
        await worker.spread("each", parcels(3), at_once=1)
        assert list(await worker.claim(key("each", 2), key("all"))) == ["early", "early"]

    async def test_what_is_not_due_yet_is_early(self, steps: StepStore, clock: StandingClock) -> None:
        await ONE.begin(steps)
        worker = Worker(steps)
        await worker.settle(again(await worker.one(), delay=10.0))
        clock.advance(9.0)
        assert list(await worker.claim(key("work"))) == ["early"]
        clock.advance(1.0)
        assert (await worker.one()).accepted == clock.time

    async def test_there_is_no_such_run_or_step(self, steps: StepStore) -> None:
        await ONE.begin(steps)
        wanted = key("work", run="nobody"), key("play"), key("play", 3)
        assert list(await Worker(steps).claim(*wanted)) == ["unknown"] * 3

    async def test_a_parcel_that_is_not_there_is_over_and_its_step_is_known(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(1, size=3))
        await worker.settle(separate(await worker.one("each", 0)))
        for item in (0, 1, 2):
            await worker.do("each", item)
        assert list(await worker.claim(key("each", 0), key("each", 7))) == ["over", "over"]

    async def test_what_is_settled_is_carried_out_before_what_is_wanted(self, steps: StepStore) -> None:
        await LINE.begin(steps)
        worker = Worker(steps, LINE)
        exchanged = await worker.exchange(worker.success(await worker.one("first")), wanted=[key("second")])
        assert list(exchanged.settled) == [True]
        assert given(exchanged.claims)[0].key == key("second")

    async def test_what_is_decided_is_carried_out_before_what_is_wanted(self, steps: StepStore) -> None:
        await LINE.begin(steps)
        worker = Worker(steps, LINE)
        claim = await worker.one("first")
        spread = worker.spreading("second", parcels(2))
        exchanged = await worker.exchange(worker.success(claim), decided=[spread], wanted=[key("second", 1)])
        assert list(exchanged.decided) == [True]
        assert given(exchanged.claims)[0].content == b"1"
