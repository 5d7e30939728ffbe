"""Cases: for how long somebody has a unit."""

from goatherd.model.run_record import LetGo
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.step_people import LINE, ONE, Plan, Worker, again, failing, key, stand_in, state_of
from goatherd.testing.suites.step_store import StepsCases, StepStore


class UnitLeaseCases(StepsCases):
    """Part of `StepsSuite`."""

    async def test_a_unit_whose_lease_ran_out_is_claimed_with_one_death_more(
        self, steps: StepStore, clock: StandingClock
    ) -> None:
        await ONE.begin(steps)
        worker = Worker(steps, lease=10.0)
        for deaths in range(3):
            assert (await worker.one()).deaths == deaths
            clock.advance(10.0)

    async def test_who_beats_has_the_unit_from_now_on(self, steps: StepStore, clock: StandingClock) -> None:
        await ONE.begin(steps)
        worker, other = Worker(steps, lease=10.0), Worker(steps)
        claim = await worker.one()
        for _ in range(3):
            clock.advance(9.0)
            assert list(await steps.beat([claim.hold], 10.0)) == [True]
        clock.advance(9.0)
        assert list(await other.claim(key("work"))) == ["taken"]
        assert await steps.reap(10) == 0
        # A beat may shorten it, too.
        assert list(await steps.beat([claim.hold], 1.0)) == [True]
        clock.advance(1.0)
        assert (await other.one()).deaths == 1

    async def test_one_whose_lease_ran_out_but_whom_nobody_replaced_has_it_still(
        self, steps: StepStore, clock: StandingClock
    ) -> None:
        await LINE.begin(steps)
        worker = Worker(steps, LINE, lease=10.0)
        claim = await worker.one("first")
        clock.advance(1000.0)
        assert list(await steps.beat([claim.hold], 10.0)) == [True]
        assert await steps.reap(10) == 0
        clock.advance(1000.0)
        assert await worker.settle(worker.success(claim))

    async def test_each_hold_has_its_own_answer(self, steps: StepStore, clock: StandingClock) -> None:
        await ONE.begin(steps, "a", "b", "c")
        worker = Worker(steps)
        claims = [await worker.one(run=run) for run in "abc"]
        await worker.settle(worker.success(claims[1]))
        assert list(await steps.beat([claim.hold for claim in claims], 10.0)) == [True, False, True]
        assert list(await steps.beat([], 10.0)) == []

    async def test_what_was_settled_in_any_way_is_not_kept(self, steps: StepStore) -> None:
        await ONE.begin(steps, *"abcd")
        worker = Worker(steps)
        claims = [await worker.one(run=run) for run in "abcd"]
        ways = LetGo(hold=claims[0].hold), again(claims[1]), stand_in(claims[2]), failing(claims[3])
        assert all((await worker.exchange(*ways)).settled)
        assert list(await steps.beat([claim.hold for claim in claims], 10.0)) == [False] * 4

    async def test_a_beat_is_refused_when_the_run_was_cancelled(self, steps: StepStore) -> None:
        plan = Plan(left=(), right=(), join=["left", "right"])
        await plan.begin(steps, "failed", "cancelled")
        worker = Worker(steps, plan)
        failed, left = await worker.one("left", run="failed"), await worker.one("right", run="failed")
        stopped = await worker.one("left", run="cancelled")
        await worker.settle(failing(failed))
        assert await steps.cancel("cancelled")
        # What runs of a run that failed may end.
        assert list(await steps.beat([left.hold, stopped.hold], 10.0)) == [True, False]

    async def test_units_whose_lease_ran_out_are_made_ready(self, steps: StepStore, clock: StandingClock) -> None:
        await ONE.begin(steps, *"abc")
        worker = Worker(steps, lease=10.0)
        for run in "abc":
            await worker.one(run=run)
            clock.advance(1.0)
        assert await steps.reap(10) == 0
        clock.advance(7.0)
        assert await steps.reap(10) == 1
        assert await ONE.taken(steps) == ["a/work"]
        clock.advance(1000.0)
        assert await steps.reap(1) == 1
        assert await steps.reap(10) == 1
        assert await steps.reap(10) == 0
        assert sorted(await ONE.taken(steps)) == ["a/work", "b/work", "c/work"]
        assert [(await worker.one(run=run)).deaths for run in "abc"] == [1, 1, 1]

    async def test_units_of_a_run_that_has_ended_are_reaped_but_not_taken(
        self, steps: StepStore, clock: StandingClock
    ) -> None:
        plan = Plan(left=(), right=(), join=["left", "right"])
        await plan.begin(steps, "failed", "cancelled")
        worker = Worker(steps, plan, lease=10.0)
        for run in ("failed", "cancelled"):
            await worker.one("right", run=run)
        await worker.settle(failing(await worker.one("left", run="failed")))
        await steps.cancel("cancelled")
        clock.advance(10.0)
        assert await steps.reap(10) == 2
        clock.advance(10_000.0)
        assert await plan.taken(steps) == []
        assert await steps.reap(10) == 0
        assert (await state_of(steps, "failed"), await state_of(steps, "cancelled")) == ("failed", "cancelled")

    async def test_deaths_are_forgotten_when_it_is_tried_again_later(
        self, steps: StepStore, clock: StandingClock
    ) -> None:
        await ONE.begin(steps)
        worker = Worker(steps, lease=10.0)
        await worker.one()
        clock.advance(10.0)
        await steps.reap(10)
        claim = await worker.one()
        assert claim.deaths == 1
        await worker.settle(again(claim))
        claim = await worker.one()
        assert claim.deaths == 0
        clock.advance(10.0)
        claim = await worker.one()
        # As if it had never been claimed: whoever died before died all the same.
        await worker.settle(LetGo(hold=claim.hold))
        claim = await worker.one()
        assert claim.deaths == 1
        await worker.settle(stand_in(claim))
        assert (await worker.one()).deaths == 0
