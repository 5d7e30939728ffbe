"""Cases: of which units workers are told, and when."""

import asyncio

from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.step_people import AGAIN_AFTER, LINE, ONE, Plan, Worker, key
from goatherd.testing.suites.step_store import StepsCases, StepStore


class TurnCases(StepsCases):
    """Part of `StepsSuite`."""

    async def test_only_units_of_these_pipelines_are_taken(self, steps: StepStore) -> None:
        for plan in (Plan("one", a=()), Plan("two", b=()), Plan("three", c=())):
            await steps.begin([plan.run(plan.pipeline)])
        assert list(await steps.take([], 10, AGAIN_AFTER)) == []
        turns = await steps.take(["one", "three", "nothing"], 10, AGAIN_AFTER)
        assert sorted(turn.pipeline for turn in turns) == ["one", "three"]
        assert [turn.pipeline for turn in await steps.take(["one", "two"], 10, AGAIN_AFTER)] == ["two"]

    async def test_no_more_are_taken_than_are_asked_for_and_the_longest_overdue_first(
        self, steps: StepStore, clock: StandingClock
    ) -> None:
        for number in range(4):
            plan = Plan(f"pipe-{number % 2}", work=())
            await steps.begin([plan.run(f"{number}")])
            clock.advance(1.0)
        taken = [await steps.take(["pipe-0", "pipe-1"], limit, AGAIN_AFTER) for limit in (3, 3, 3)]
        assert [[turn.key.run for turn in turns] for turns in taken] == [["0", "1", "2"], ["3"], []]

    async def test_what_is_taken_is_not_given_to_another(self, steps: StepStore, other: StepStore) -> None:
        await ONE.begin(steps, *(f"run-{number}" for number in range(40)))
        taken = await asyncio.gather(*(client.take(["film"], 15, AGAIN_AFTER) for client in (steps, other) * 3))
        runs = [turn.key.run for turns in taken for turn in turns]
        assert sorted(runs) == sorted(f"run-{number}" for number in range(40))

    async def test_what_is_not_claimed_is_given_again_and_each_time_after_twice_as_long(
        self, steps: StepStore, clock: StandingClock
    ) -> None:
        await ONE.begin(steps)
        assert [turn.tellings for turn in await steps.take(["film"], 1, 5.0)] == [0]
        for tellings, silence in enumerate((5.0, 10.0, 20.0), 1):
            clock.advance(silence - 1.0)
            assert list(await steps.take(["film"], 1, 5.0)) == []
            clock.advance(1.0)
            assert [turn.tellings for turn in await steps.take(["film"], 1, 5.0)] == [tellings]

    async def test_it_is_given_again_after_an_hour_at_the_latest(self, steps: StepStore, clock: StandingClock) -> None:
        await ONE.begin(steps)
        for _ in range(40):
            assert await ONE.taken(steps) == ["work"]
            clock.advance(3600.0)
        assert await ONE.taken(steps) == ["work"]
        clock.advance(3599.0)
        assert await ONE.taken(steps) == []

    async def test_what_is_claimed_is_not_given_again(self, steps: StepStore, clock: StandingClock) -> None:
        await ONE.begin(steps)
        await Worker(steps, lease=10_000.0).one()
        for _ in range(5):
            assert await ONE.taken(steps) == []
            clock.advance(1000.0)

    async def test_what_is_postponed_is_given_after_that_time(self, steps: StepStore, clock: StandingClock) -> None:
        await ONE.begin(steps)
        assert await ONE.taken(steps) == ["work"]
        await steps.postpone([key("work"), key("unknown"), key("work", run="unknown")], 100.0)
        clock.advance(99.0)
        assert await ONE.taken(steps) == []
        clock.advance(1.0)
        assert await ONE.taken(steps) == ["work"]

    async def test_what_could_not_be_told_of_may_be_given_again_at_once_and_was_not_told_of(
        self, steps: StepStore, clock: StandingClock
    ) -> None:
        await ONE.begin(steps)
        for _ in range(3):
            [turn] = await steps.take(["film"], 1, AGAIN_AFTER)
            assert turn.tellings == 0
            await steps.postpone([turn.key], 0.0)
        await steps.take(["film"], 1, AGAIN_AFTER)
        clock.advance(AGAIN_AFTER)
        [turn] = await steps.take(["film"], 1, AGAIN_AFTER)
        assert turn.tellings == 1

    async def test_to_postpone_a_unit_that_somebody_has_changes_nothing(
        self, steps: StepStore, clock: StandingClock
    ) -> None:
        await LINE.begin(steps)
        worker = Worker(steps, LINE)
        claim = await worker.one("first")
        await steps.postpone([key("first"), key("second")], 0.0)
        assert await LINE.taken(steps) == []
        assert await worker.settle(worker.success(claim))
        await steps.postpone([key("first")], 0.0)
        assert await LINE.taken(steps) == ["second"]

    async def test_a_unit_that_is_ready_anew_was_never_told_of(self, steps: StepStore, clock: StandingClock) -> None:
        await ONE.begin(steps)
        for _ in range(3):
            await ONE.taken(steps)
            clock.advance(1000.0)
        worker = Worker(steps, lease=10.0)
        await worker.one()
        clock.advance(10.0)
        assert await steps.reap(10) == 1
        [turn] = await steps.take(["film"], 1, AGAIN_AFTER)
        assert turn.tellings == 0
        clock.advance(AGAIN_AFTER)
        assert await ONE.taken(steps) == ["work"]
