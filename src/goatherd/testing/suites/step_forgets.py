"""Cases: when runs are forgotten."""

from collections.abc import Sequence
from typing import Any

from goatherd.model.run_record import RunFilter, RunSummary
from goatherd.ports.steps import INPUT
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.step_people import ONE, RUN, Plan, Worker, key, parcels
from goatherd.testing.suites.step_store import StepsCases, StepStore


class ForgetCases(StepsCases):
    """Part of `StepsSuite`."""

    async def test_runs_are_forgotten_some_time_after_they_ended(
        self, store: Any, steps: StepStore, clock: StandingClock
    ) -> None:
        plan = Plan(each=(), all=["each"])
        await plan.begin(steps, "old", "new", "running")
        worker = Worker(steps, plan)
        for run in ("old", "new"):
            await worker.spread("each", parcels(3), run=run)
            assert await steps.cancel(run)
            clock.advance(60.0)
        await steps.told(await steps.ended(10))
        assert await steps.forget(120.0, 10) == 0
        assert await steps.forget(119.0, 10) == 1
        assert (await steps.look("old"), list(await steps.results([("old", INPUT)]))) == (None, [None])
        assert await steps.look("new") is not None
        clock.advance(10_000.0)
        assert await steps.forget(1.0, 10) == 1
        assert [run.id for run in await _all(steps)] == ["running"]
        assert list(await worker.claim(key("each", run="old"), key("each", run="new"))) == ["unknown", "unknown"]
        await steps.cancel("running")
        await steps.told(await steps.ended(10))
        clock.advance(10.0)
        assert await steps.forget(1.0, 10) == 1
        assert list(await self.kept(store)) == []

    async def test_what_was_not_told_is_not_forgotten(self, steps: StepStore, clock: StandingClock) -> None:
        await ONE.begin(steps, "a", "b")
        worker = Worker(steps)
        for run in "ab":
            await worker.do("work", run=run)
        await steps.told([run for run in await steps.ended(10) if run.id == "b"])
        clock.advance(10_000.0)
        assert await steps.forget(1.0, 10) == 1
        assert [run.id for run in await _all(steps)] == ["a"]

    async def test_no_more_are_forgotten_than_are_asked_for(self, steps: StepStore, clock: StandingClock) -> None:
        await ONE.begin(steps, *"abcde")
        for run in "abcde":
            await steps.cancel(run)
            clock.advance(1.0)
        await steps.told(await steps.ended(10))
        clock.advance(100.0)
        assert await steps.forget(1.0, 2) == 2
        assert {run.id for run in await _all(steps)} == set("cde")

    async def test_a_run_that_was_taken_up_again_is_not_forgotten(self, steps: StepStore, clock: StandingClock) -> None:
        await ONE.begin(steps)
        await steps.cancel(RUN)
        await steps.told(await steps.ended(10))
        await steps.retry(RUN)
        clock.advance(10_000.0)
        assert await steps.forget(1.0, 10) == 0
        assert await ONE.taken(steps) == ["work"]

    async def test_a_run_that_was_forgotten_may_begin_anew(self, steps: StepStore, clock: StandingClock) -> None:
        await ONE.begin(steps)
        worker = Worker(steps)
        claim = await worker.one()
        await steps.cancel(RUN)
        await steps.told(await steps.ended(10))
        clock.advance(100.0)
        assert await steps.forget(1.0, 10) == 1
        assert not await worker.settle(worker.success(claim))
        await ONE.begin(steps)
        assert await ONE.taken(steps) == ["work"]
        assert (await worker.one()).token > claim.token


async def _all(steps: StepStore) -> Sequence[RunSummary]:
    return await steps.find(RunFilter(), 100)
