"""Cases: what becomes of a run that failed or was cancelled, while parts of it are worked on."""

from goatherd.model.run_record import Trouble
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.step_people import (
    ONE,
    RUN,
    TROUBLE,
    Plan,
    Worker,
    again,
    failing,
    key,
    state_of,
    states,
)
from goatherd.testing.suites.step_store import StepsCases, StepStore

WAYS = Plan(left=(), right=(), join=["left", "right"])


class FailureCases(StepsCases):
    """Part of `StepsSuite`."""

    async def test_nothing_of_a_failed_run_is_started(self, steps: StepStore, clock: StandingClock) -> None:
        await WAYS.begin(steps)
        worker = Worker(steps, WAYS)
        exchanged = await worker.exchange(failing(await worker.one("left")))
        assert exchanged.ended
        assert [(advance.step, advance.done) for advance in exchanged.advances] == [("left", 0)]
        assert await states(steps) == {"left": "failed", "right": "ready", "join": "waiting"}
        assert await state_of(steps) == "failed"
        clock.advance(10_000.0)
        assert await WAYS.taken(steps) == []
        await steps.postpone([key("right")], 0.0)
        assert await WAYS.taken(steps) == []

    async def test_what_runs_of_a_failed_run_may_end_and_counts(self, steps: StepStore, clock: StandingClock) -> None:
        plan = Plan(left=(), right=(), middle=(), after=["right"], join=["left", "middle", "after"])
        await plan.begin(steps)
        worker = Worker(steps, plan)
        left, right, middle = [await worker.one(step) for step in ("left", "right", "middle")]
        await worker.settle(failing(left))
        exchanged = await worker.exchange(worker.success(right, b"2"), again(middle, failures=4))
        assert (list(exchanged.settled), exchanged.ready) == ([True, True], False)
        clock.advance(10_000.0)
        assert await plan.taken(steps) == []
        assert list(await worker.claim(key("after"))) == ["over"]
        assert list(await steps.results([(RUN, "right")])) == [b"2"]
        assert await steps.retry(RUN) == 1
        assert sorted(await plan.taken(steps)) == ["after", "left", "middle"]
        assert (await worker.one("middle")).failures == 4

    async def test_a_second_unit_may_fail_and_the_run_has_ended_once(self, steps: StepStore) -> None:
        await WAYS.begin(steps)
        worker = Worker(steps, WAYS)
        left, right = await worker.one("left"), await worker.one("right")
        other = Trouble(error_type="OSError", message="second")
        assert await worker.settle(failing(left, b"one"))
        assert await worker.settle(failing(right, b"two", other))
        [ended] = await steps.ended(10)
        assert (ended.state, ended.step, ended.trouble) == ("failed", "left", TROUBLE)
        assert [letter.content for letter in await steps.letters(10)] == [b"one", b"two"]

    async def test_settlements_of_a_cancelled_run_count_but_its_successes_are_answered_with_false(
        self, steps: StepStore
    ) -> None:
        plan = Plan(left=(), right=(), middle=(), join=["left", "right", "middle"])
        await plan.begin(steps)
        worker = Worker(steps, plan)
        left, right, middle = [await worker.one(step) for step in ("left", "right", "middle")]
        assert await steps.cancel(RUN)
        exchanged = await worker.exchange(worker.success(left, b"1"), again(right, failures=4), worker.left_out(middle))
        assert (list(exchanged.settled), exchanged.ready) == ([False, True, True], False)
        assert await plan.taken(steps) == []
        await steps.retry(RUN)
        assert list(await steps.results([(RUN, "left"), (RUN, "middle")])) == [b"1", b"null"]
        assert await plan.taken(steps) == ["right"]
        assert (await worker.one("right")).failures == 4

    async def test_a_unit_of_a_cancelled_run_may_fail_and_leaves_its_letter(self, steps: StepStore) -> None:
        await ONE.begin(steps)
        worker = Worker(steps)
        claim = await worker.one()
        await steps.cancel(RUN)
        exchanged = await worker.exchange(failing(claim))
        assert (list(exchanged.settled), exchanged.ended) == ([True], True)
        assert [letter.content for letter in await steps.letters(10)] == [b"letter"]
        assert await state_of(steps) == "cancelled"
