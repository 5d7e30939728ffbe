"""Cases: what failed, or waits for somebody to stand in, is tried again."""

from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.step_people import (
    RUN,
    Plan,
    Worker,
    failing,
    given,
    key,
    parcels,
    stand_in,
    state_of,
)
from goatherd.testing.suites.step_store import StepsCases, StepStore

MAP = Plan(each=(), all=["each"])
WAYS = Plan(left=(), right=(), join=["left", "right"])


class RetryCases(StepsCases):
    """Part of `StepsSuite`."""

    async def test_what_failed_is_tried_again_with_counts_that_begin_anew(
        self, steps: StepStore, clock: StandingClock
    ) -> None:
        await WAYS.begin(steps)
        worker = Worker(steps, WAYS, lease=10.0)
        await worker.one("left")
        clock.advance(10.0)
        await worker.settle(failing(await worker.one("left")))
        clock.advance(5.0)
        assert await steps.retry(RUN) == 1
        assert await state_of(steps) == "running"
        assert sorted(await WAYS.taken(steps)) == ["left", "right"]
        claim = await worker.one("left")
        assert (claim.phase, claim.failures, claim.deaths, claim.accepted) == ("do", 0, 0, clock.time)
        assert await worker.settle(worker.success(claim))
        await worker.do("right")
        await worker.do("join")
        assert await state_of(steps) == "done"
        assert await steps.retry(RUN) == 0
        assert await steps.retry("unknown") == 0
        assert await state_of(steps) == "done"

    async def test_what_waits_for_a_stand_in_is_tried_again(self, steps: StepStore) -> None:
        await WAYS.begin(steps)
        worker = Worker(steps, WAYS)
        await worker.settle(stand_in(await worker.one("left")))
        await worker.settle(stand_in(await worker.one("right")))
        had = await worker.one("right")
        assert await steps.retry(RUN, ["right"]) == 1
        # Somebody stood in already: he is fenced off.
        assert not await worker.settle(worker.success(had))
        assert list(await steps.beat([had.hold], 10.0)) == [False]
        right, left = await worker.one("right"), await worker.one("left")
        assert (right.phase, right.failures, left.phase) == ("do", 0, "compensate")
        assert await steps.retry(RUN) == 1

    async def test_only_what_failed_in_these_steps_is_counted_and_a_run_goes_on_with_all(
        self, steps: StepStore
    ) -> None:
        await WAYS.begin(steps)
        worker = Worker(steps, WAYS)
        left, right = await worker.one("left"), await worker.one("right")
        await worker.exchange(failing(left), failing(right))
        assert await steps.retry(RUN, ["join"]) == 0
        assert await state_of(steps) == "failed"
        assert await steps.retry(RUN, ["left", "join"]) == 1
        # A run with a failed unit could not end.
        for step in ("left", "right", "join"):
            await worker.do(step)
        assert await state_of(steps) == "done"

    async def test_parcels_that_are_tried_again_are_not_more_than_may_be(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(6), at_once=2)
        # Three wait for somebody to stand in, one fails, and two others are at it.
        for item in range(3):
            await worker.settle(stand_in(await worker.one("each", item)))
        one, two = given(await worker.claim(key("each", 3), key("each", 4)))
        await worker.settle(failing(one))
        assert await steps.retry(RUN) == 4
        taken, done = await MAP.taken(steps), []
        assert len(taken) == 1
        assert await worker.settle(worker.success(two, b"4"))
        taken += await MAP.taken(steps)
        while taken != ["all"]:
            assert len(taken) <= 2
            done.append(int(taken.pop(0).removeprefix("each/")))
            await worker.do("each", done[-1], b"%d" % done[-1])
            taken += await MAP.taken(steps)
        assert sorted(done) == [0, 1, 2, 3, 5]
        assert list(await steps.results([(RUN, "each")])) == [b"[0,1,2,3,4,5]"]

    async def test_what_is_done_is_not_done_again(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(3))
        await worker.do("each", 0, b"0")
        await worker.settle(worker.left_out(await worker.one("each", 1)))
        await worker.settle(failing(await worker.one("each", 2)))
        assert await steps.retry(RUN) == 1
        assert await MAP.taken(steps) == ["each/2"]
        await worker.do("each", 2, b"2")
        assert list(await steps.results([(RUN, "each")])) == [b"[0,2]"]


class RequeueCases(StepsCases):
    """Part of `StepsSuite`."""

    async def test_units_of_many_runs_are_tried_again_oldest_runs_first(
        self, steps: StepStore, clock: StandingClock
    ) -> None:
        worker = Worker(steps, WAYS)
        # Names do not tell which is older.
        for run in ("z", "a", "m", "cancelled", "other"):
            plan = WAYS if run != "other" else Plan("other", left=(), right=(), join=["left", "right"])
            await steps.begin([plan.run(run)])
            clock.advance(1.0)
            left, right = await worker.one("left", run=run), await worker.one("right", run=run)
            if run == "cancelled":
                await steps.cancel(run)
            await worker.exchange(stand_in(right), failing(left))
        assert list(await steps.requeue(["film"], "left", 2)) == [key("left", run="z"), key("left", run="a")]
        assert [await state_of(steps, run) for run in ("z", "a", "m")] == ["running", "running", "failed"]
        assert (await worker.one("left", run="z")).phase == "do"
        assert (await worker.one("right", run="z")).phase == "compensate"
        rest = await steps.requeue(["film", "none"], None, 100)
        assert [unit.run for unit in rest] == ["z", "a", "m", "m"]
        assert {(unit.run, unit.step) for unit in rest} == {
            ("z", "right"), ("a", "right"), ("m", "left"), ("m", "right"),
        }  # fmt: skip
        assert list(await steps.requeue(["film"], None, 100)) == []
        assert await state_of(steps, "cancelled") == "cancelled"
        assert await state_of(steps, "other") == "failed"
        assert list(await steps.requeue([], None, 100)) == []

    async def test_a_run_of_which_a_part_is_tried_again_can_end(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(3), at_once=3)
        await worker.exchange(*map(failing, given(await worker.claim(*(key("each", item) for item in range(3))))))
        assert len(await steps.requeue(["film"], "each", 1)) == 1
        for item in range(3):
            await worker.do("each", item, b"1")
        await worker.do("all")
        assert await state_of(steps) == "done"
