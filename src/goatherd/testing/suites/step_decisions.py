"""Cases: what is decided about units that nobody has."""

from goatherd.model.run_record import Advance, Arrived, Decision, Foresee, Onward, PassOver
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.step_people import (
    DIAMOND,
    LINE,
    ONE,
    RUN,
    TROUBLE,
    Plan,
    Worker,
    key,
    parcels,
    stand_in,
    state_of,
    states,
)
from goatherd.testing.suites.step_store import StepsCases, StepStore

MAP = Plan(each=(), all=["each"])


def passing_over(plan: Plan, step: str) -> PassOver:
    return PassOver(key=key(step), onward=plan.onward(step))


def foreseeing(step: str) -> Foresee:
    return Foresee(key=key(step), trouble=TROUBLE, letter=b"foreseen")


def arriving(plan: Plan, step: str, result: bytes, item: int = -1) -> Arrived:
    return Arrived(key=key(step, item), result=result, onward=plan.onward(step))


class DecisionCases(StepsCases):
    """Part of `StepsSuite`."""

    async def test_a_step_that_is_passed_over_has_null_as_its_result(self, steps: StepStore) -> None:
        await DIAMOND.begin(steps)
        worker = Worker(steps, DIAMOND)
        await worker.do("cut")
        exchanged = await worker.exchange(decided=[passing_over(DIAMOND, "see")])
        assert list(exchanged.decided) == [True]
        assert list(exchanged.advances) == [Advance(run=RUN, step="see", state="skipped", done=1, total=1)]
        assert list(await steps.results([(RUN, "see")])) == [b"null"]
        assert list(await worker.claim(key("see"))) == ["over"]
        await worker.do("hear")
        assert await DIAMOND.taken(steps) == ["join"]
        exchanged = await worker.exchange(decided=[passing_over(DIAMOND, "join")])
        assert (exchanged.ended, await state_of(steps)) == (True, "done")

    async def test_a_step_that_cannot_be_begun_fails_and_so_does_its_run(self, steps: StepStore) -> None:
        await LINE.begin(steps)
        worker = Worker(steps, LINE)
        await worker.do("first")
        exchanged = await worker.exchange(decided=[foreseeing("second")])
        assert (list(exchanged.decided), exchanged.ended) == ([True], True)
        assert await states(steps) == {"first": "done", "second": "failed"}
        [ended] = await steps.ended(10)
        assert (ended.state, ended.step, ended.trouble) == ("failed", "second", TROUBLE)
        assert [letter.content for letter in await steps.letters(10)] == [b"foreseen"]
        assert await LINE.taken(steps) == []

    async def test_what_a_foreign_worker_has_done_is_done(self, steps: StepStore) -> None:
        await LINE.begin(steps)
        worker = Worker(steps, LINE)
        exchanged = await worker.exchange(decided=[arriving(LINE, "first", b"1")])
        assert (list(exchanged.decided), exchanged.ready) == ([True], True)
        assert list(exchanged.advances) == [Advance(run=RUN, step="first", state="done", done=1, total=1)]
        assert list(await steps.results([(RUN, "first")])) == [b"1"]
        assert await LINE.taken(steps) == ["second"]
        assert not await worker.decide(arriving(LINE, "first", b"2"))
        assert list(await steps.results([(RUN, "first")])) == [b"1"]

    async def test_it_counts_while_somebody_else_has_the_unit(self, steps: StepStore) -> None:
        await LINE.begin(steps)
        worker = Worker(steps, LINE)
        claim = await worker.one("first")
        assert await worker.decide(arriving(LINE, "first", b"1"))
        assert list(await steps.beat([claim.hold], 10.0)) == [False]
        assert not await worker.settle(worker.success(claim, b"2"))
        assert list(await steps.results([(RUN, "first")])) == [b"1"]
        assert await LINE.taken(steps) == ["second"]

    async def test_it_counts_for_a_parcel_and_makes_room(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(3), at_once=1)
        await MAP.taken(steps)
        claim = await worker.one("each", 0)
        exchanged = await worker.exchange(decided=[arriving(MAP, "each", b"0", 0)])
        assert (list(exchanged.decided), exchanged.ready) == ([True], True)
        assert not await worker.settle(worker.success(claim, b"7"))
        assert await MAP.taken(steps) == ["each/1"]
        # One that is held back was never told to anybody.
        assert not await worker.decide(arriving(MAP, "each", b"2", 2))
        for item in (1, 2):
            assert await worker.decide(arriving(MAP, "each", b"%d" % item, item))
        assert list(await steps.results([(RUN, "each")])) == [b"[0,1,2]"]

    async def test_it_counts_instead_of_a_stand_in(self, steps: StepStore) -> None:
        await ONE.begin(steps)
        worker = Worker(steps)
        await worker.settle(stand_in(await worker.one()))
        assert await worker.decide(arriving(ONE, "work", b"1"))
        assert await state_of(steps) == "done"

    async def test_where_the_unit_is_not_as_it_should_be_nothing_changes(self, steps: StepStore) -> None:
        await LINE.begin(steps)
        worker = Worker(steps, LINE)
        early: list[Decision] = [passing_over(LINE, "second"), foreseeing("second"), arriving(LINE, "second", b"1")]
        exchanged = await worker.exchange(decided=early)
        assert not any(exchanged.decided)
        assert (list(exchanged.advances), exchanged.ready, exchanged.ended) == ([], False, False)
        claim = await worker.one("first")
        had: list[Decision] = [passing_over(LINE, "first"), foreseeing("first")]
        assert not any((await worker.exchange(decided=had)).decided)
        assert await worker.settle(worker.success(claim, b"1"))
        late: list[Decision] = [*had, arriving(LINE, "first", b"2"), worker.spreading("first", parcels(1))]
        assert not any((await worker.exchange(decided=late)).decided)
        unknown: list[Decision] = [PassOver(key=key("first", run="nobody"), onward=Onward()), foreseeing("none")]
        assert not any((await worker.exchange(decided=unknown)).decided)
        assert await states(steps) == {"first": "done", "second": "ready"}
        assert await steps.letters(10) == []
        assert list(await steps.results([(RUN, "first")])) == [b"1"]

    async def test_nothing_becomes_ready_in_a_run_that_has_ended(self, steps: StepStore, clock: StandingClock) -> None:
        await LINE.begin(steps, "a", "b", "c")
        worker = Worker(steps, LINE)
        for run in "abc":
            assert await steps.cancel(run)
        first = [key("first", run=run) for run in "abc"]
        onward = LINE.onward("first")
        exchanged = await worker.exchange(
            decided=[
                worker.spreading("first", parcels(3), run="a"),
                PassOver(key=first[1], onward=onward),
                Foresee(key=first[2], trouble=TROUBLE, letter=b"letter"),
            ]
        )
        assert not exchanged.ready
        clock.advance(10_000.0)
        assert await LINE.taken(steps) == []
        assert [await state_of(steps, run) for run in "abc"] == ["cancelled"] * 3
