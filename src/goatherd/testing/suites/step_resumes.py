"""Cases: steps are done again."""

from goatherd.model.run_record import Foresee, LetGo, PassOver, Spread
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.step_people import (
    DIAMOND,
    LINE,
    RUN,
    TROUBLE,
    Plan,
    Worker,
    failing,
    given,
    key,
    parcels,
    state_of,
    states,
)
from goatherd.testing.suites.step_store import StepsCases, StepStore

MAP = Plan(each=(), all=["each"])
WAYS = Plan(left=(), right=(), join=["left", "right"])


class ResumeCases(StepsCases):
    """Part of `StepsSuite`."""

    async def test_a_step_and_all_after_it_are_done_again(self, steps: StepStore) -> None:
        await DIAMOND.begin(steps)
        worker = Worker(steps, DIAMOND)
        for step in ("cut", "hear", "see", "join"):
            await worker.do(step, result=b'"old"')
        assert await steps.resume_from(RUN, DIAMOND.from_here("see"))
        assert await state_of(steps) == "running"
        assert await states(steps) == {"cut": "done", "hear": "done", "see": "ready", "join": "waiting"}
        assert list(await steps.results([(RUN, "see"), (RUN, "hear")])) == [None, b'"old"']
        assert await DIAMOND.taken(steps) == ["see"]
        await worker.do("see", result=b'"new"')
        assert await DIAMOND.taken(steps) == ["join"]
        await worker.do("join", result=b'"new"')
        assert await state_of(steps) == "done"
        assert list(await steps.results([(RUN, "see"), (RUN, "join")])) == [b'"new"', b'"new"']

    async def test_a_step_that_waits_for_one_that_is_not_done_waits_on(self, steps: StepStore) -> None:
        await DIAMOND.begin(steps)
        worker = Worker(steps, DIAMOND)
        await worker.do("cut")
        await worker.do("see")
        hear = await worker.one("hear")
        assert await steps.resume_from(RUN, DIAMOND.from_here("see"))
        await worker.do("see")
        assert (await states(steps))["join"] == "waiting"
        assert await worker.settle(worker.success(hear))
        assert await DIAMOND.taken(steps) == ["join"]

    async def test_those_who_have_units_of_it_are_fenced_off(self, steps: StepStore, clock: StandingClock) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(2, size=2))
        one, two = given(await worker.claim(key("each", 0), key("each", 2)))
        await worker.settle(worker.success(one, b"0,1"))
        clock.advance(-1000.0)
        assert await steps.resume_from(RUN, MAP.from_here("each"))
        assert list(await steps.beat([two.hold], 10.0)) == [False]
        await worker.exchange(worker.success(one, b"8,8"), worker.success(two, b"9,9"))
        assert await MAP.taken(steps) == ["each"]
        await worker.spread("each", parcels(1, size=2))
        claim = await worker.one("each", 0)
        assert claim.token > max(one.token, two.token)
        await worker.exchange(worker.success(one, b"8,8"), LetGo(hold=one.hold))
        assert list(await steps.beat([claim.hold], 10.0)) == [True]
        assert await worker.settle(worker.success(claim, b"0,1"))
        assert list(await steps.results([(RUN, "each")])) == [b"[0,1]"]

    async def test_a_run_that_had_ended_goes_on_with_all_that_was_left_in_it(self, steps: StepStore) -> None:
        plan = Plan(left=(), right=(), middle=(), join=["left", "right", "middle"])
        for end in ("failed", "cancelled"):
            await plan.begin(steps, end)
            worker = Worker(steps, plan)
            await worker.do("right", run=end)
            left = await worker.one("left", run=end)
            await (worker.settle(failing(left)) if end == "failed" else steps.cancel(end))
            assert await steps.resume_from(end, plan.from_here("right"))
            for step in ("right", "middle"):
                await worker.do(step, run=end)
            if end == "failed":
                await worker.do("left", run=end)
            else:
                assert await worker.settle(worker.success(left))
            await worker.do("join", run=end)
            assert await state_of(steps, end) == "done"

    async def test_there_is_no_such_run_or_step(self, steps: StepStore) -> None:
        await LINE.begin(steps)
        await Worker(steps, LINE).do("first")
        assert not await steps.resume_from("unknown", LINE.from_here("first"))
        other = Plan(first=(), third=["first"])
        assert not await steps.resume_from(RUN, other.from_here("first"))
        assert await states(steps) == {"first": "done", "second": "ready"}

    async def test_each_time_is_a_round_of_its_own(self, steps: StepStore, clock: StandingClock) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        rounds = []
        for _ in range(3):
            [turn] = await steps.take([MAP.pipeline], 10, 1.0)
            await worker.spread("each", parcels(2))
            one, two = given(await worker.claim(key("each", 0), key("each", 1)))
            assert one.round == two.round == turn.round < min(one.token, two.token)
            await worker.settle(worker.success(one, b"0"))
            rounds.append(one.round)
            clock.advance(-10.0)
            assert await steps.resume_from(RUN, MAP.from_here("each"))
        assert rounds == sorted(set(rounds))

    async def test_what_was_decided_before_is_void(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        [before] = await steps.take([MAP.pipeline], 10, 1.0)
        assert await steps.resume_from(RUN, MAP.from_here("each"))
        [turn] = await steps.take([MAP.pipeline], 10, 1.0)
        onward, whole = MAP.onward("each"), key("each")
        for decision in (
            Spread(key=whole, parcels=(), at_once=None, onward=onward, round=before.round),
            PassOver(key=whole, onward=onward, round=before.round),
            Foresee(key=whole, trouble=TROUBLE, letter=b"", round=before.round),
        ):
            assert not await worker.decide(decision)
        assert (await states(steps))["each"] == "ready"
        assert await worker.decide(Spread(key=whole, parcels=(), at_once=None, onward=onward, round=turn.round))
        assert (await states(steps))["each"] == "done"
