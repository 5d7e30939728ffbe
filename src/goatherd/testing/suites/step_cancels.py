"""Cases: runs are cancelled, and taken up again."""

from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.step_people import (
    DIAMOND,
    ONE,
    RUN,
    Plan,
    Worker,
    again,
    failing,
    key,
    state_of,
)
from goatherd.testing.suites.step_store import StepsCases, StepStore

MAP = Plan(each=(), all=["each"])
WAYS = Plan(left=(), right=(), join=["left", "right"])


class CancelCases(StepsCases):
    """Part of `StepsSuite`."""

    async def test_nothing_of_a_cancelled_run_is_started(self, steps: StepStore, clock: StandingClock) -> None:
        await WAYS.begin(steps)
        worker = Worker(steps, WAYS, lease=10.0)
        claim = await worker.one("left")
        assert await steps.cancel(RUN)
        assert list(await steps.beat([claim.hold], 10.0)) == [False]
        clock.advance(10_000.0)
        await steps.reap(10)
        assert await WAYS.taken(steps) == []
        assert list(await worker.claim(key("left"), key("right"), key("join"))) == ["over"] * 3

    async def test_a_run_is_cancelled_once_and_only_if_it_goes_on(self, steps: StepStore) -> None:
        await ONE.begin(steps, "done", "failed", "cancelled")
        worker = Worker(steps)
        await worker.do("work", run="done")
        await worker.settle(failing(await worker.one(run="failed")))
        assert await steps.cancel("cancelled")
        for run in ("done", "failed", "cancelled", "unknown"):
            assert not await steps.cancel(run)
        assert [await state_of(steps, run) for run in ("done", "failed")] == ["done", "failed"]

    async def test_a_run_that_was_cancelled_goes_on_when_it_is_tried_again(
        self, steps: StepStore, clock: StandingClock
    ) -> None:
        await DIAMOND.begin(steps)
        worker = Worker(steps, DIAMOND)
        await worker.do("cut")
        await worker.settle(again(await worker.one("see"), delay=100.0))
        await steps.cancel(RUN)
        assert await steps.retry(RUN, ["hear", "see"]) == 0
        assert (await state_of(steps), await DIAMOND.taken(steps)) == ("cancelled", [])
        assert await steps.retry(RUN) == 0
        assert await state_of(steps) == "running"
        assert await DIAMOND.taken(steps) == ["hear"]
        # One that was not due is not due sooner.
        assert list(await worker.claim(key("see"))) == ["early"]
        clock.advance(100.0)
        assert "see" in await DIAMOND.taken(steps)
        for step in ("hear", "see", "join"):
            await worker.do(step)
        assert await state_of(steps) == "done"

    async def test_a_run_whose_last_step_was_done_though_it_was_cancelled_is_done_when_it_is_tried_again(
        self, steps: StepStore
    ) -> None:
        await ONE.begin(steps)
        worker = Worker(steps)
        claim = await worker.one()
        await steps.cancel(RUN)
        assert not await worker.settle(worker.success(claim, b"1"))
        assert await state_of(steps) == "cancelled"
        await steps.told(await steps.ended(10))
        assert await steps.retry(RUN) == 0
        assert await state_of(steps) == "done"
        assert [run.state for run in await steps.ended(10)] == ["done"]
