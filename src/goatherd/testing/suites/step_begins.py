"""Cases: runs begin."""

import asyncio

from goatherd.model.run_record import Turn
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.step_people import AGAIN_AFTER, DIAMOND, LINE, ONE, RUN, Plan, Worker, key, states
from goatherd.testing.suites.step_store import OpenStore, StepsCases, StepStore


class BeginCases(StepsCases):
    """Part of `StepsSuite`."""

    async def test_steps_after_nothing_but_the_input_are_ready_and_the_others_wait(self, steps: StepStore) -> None:
        plan = Plan(left=(), right=(), join=["left", "right"])
        assert list(await steps.begin([plan.run()])) == [True]
        assert sorted(await plan.taken(steps)) == ["left", "right"]
        assert await states(steps) == {"left": "ready", "right": "ready", "join": "waiting"}

    async def test_a_turn_tells_all_that_it_takes_to_tell(self, steps: StepStore, clock: StandingClock) -> None:
        await steps.begin([ONE.run(priority=7)])
        began = clock.time
        clock.advance(3.0)
        [turn] = await steps.take(["film"], 10, AGAIN_AFTER)
        assert turn == Turn(
            key=key("work"), pipeline="film", size=0, content=b"", phase="do", failures=0, tellings=0, trouble=None,
            trace_id="trace-run-1", priority=7, created=began, round=turn.round,
        )  # fmt: skip

    async def test_a_run_that_is_on_record_is_not_begun_again(self, steps: StepStore, other: StepStore) -> None:
        await LINE.begin(steps)
        await Worker(steps, LINE).do("first", result=b"1")
        other_plan = Plan("other", whatever=())
        begun = await other.begin([other_plan.run(), other_plan.run("run-2"), other_plan.run("run-2")])
        assert list(begun) == [False, True, False]
        assert list(await other.results([(RUN, "first"), (RUN, "whatever")])) == [b"1", None]
        assert await states(steps) == {"first": "done", "second": "ready"}
        assert await LINE.taken(steps) == ["second"]

    async def test_of_those_who_begin_one_run_at_once_one_does(self, steps: StepStore, other: StepStore) -> None:
        begun = await asyncio.gather(*(client.begin([ONE.run()]) for client in (steps, other) * 4))
        assert sum(answer for [answer] in begun) == 1
        assert await ONE.taken(steps) == ["work"]

    async def test_nobody_begins_nothing(self, steps: StepStore) -> None:
        assert list(await steps.begin([])) == []

    async def test_no_step_starts_before_the_delay_is_over(self, steps: StepStore, clock: StandingClock) -> None:
        await steps.begin([ONE.run(delay=60.0)])
        worker = Worker(steps)
        clock.advance(59.0)
        assert await ONE.taken(steps) == []
        assert list(await worker.claim(key("work"))) == ["early"]
        clock.advance(1.0)
        assert await ONE.taken(steps) == ["work"]
        claim = await worker.one()
        assert claim.accepted == clock.time
        assert claim.created == clock.time - 60.0

    async def test_a_run_is_there_after_everybody_has_left(self, steps: StepStore, open_store: OpenStore) -> None:
        await DIAMOND.begin(steps)
        await steps.close()
        assert await DIAMOND.taken(await open_store()) == ["cut"]

    async def test_one_may_leave_twice(self, steps: StepStore) -> None:
        await steps.close()
        await steps.close()
