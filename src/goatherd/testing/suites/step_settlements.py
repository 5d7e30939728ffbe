"""Cases: what becomes of a unit that was claimed."""

from goatherd.model.run_record import Advance, LetGo, Trouble
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.step_people import (
    AGAIN_AFTER,
    DIAMOND,
    LINE,
    ONE,
    RUN,
    TROUBLE,
    Plan,
    Worker,
    again,
    key,
    stand_in,
    state_of,
    states,
)
from goatherd.testing.suites.step_store import StepsCases, StepStore

WAYS = Plan(left=(), right=(), join=["left", "right"])


class UnitSettlementCases(StepsCases):
    """Part of `StepsSuite`."""

    async def test_a_step_is_ready_when_all_before_it_are_done(self, steps: StepStore) -> None:
        await DIAMOND.begin(steps)
        worker = Worker(steps, DIAMOND)
        await worker.do("cut")
        assert sorted(await DIAMOND.taken(steps)) == ["hear", "see"]
        await worker.do("see")
        assert await DIAMOND.taken(steps) == []
        assert list(await worker.claim(key("join"))) == ["early"]
        await worker.do("hear")
        assert await DIAMOND.taken(steps) == ["join"]
        assert await state_of(steps) == "running"
        await worker.do("join")
        assert await state_of(steps) == "done"
        assert await states(steps) == dict.fromkeys(("cut", "hear", "see", "join"), "done")

    async def test_two_ways_that_end_in_one_exchange_meet_once(self, steps: StepStore) -> None:
        await DIAMOND.begin(steps)
        worker = Worker(steps, DIAMOND)
        await worker.do("cut")
        hear, see = await worker.one("hear"), await worker.one("see")
        exchanged = await worker.exchange(worker.success(hear), worker.success(see))
        assert (list(exchanged.settled), exchanged.ready, exchanged.ended) == ([True, True], True, False)
        assert await DIAMOND.taken(steps) == ["join"]

    async def test_an_exchange_tells_how_far_each_step_is_and_what_came_of_it(self, steps: StepStore) -> None:
        await LINE.begin(steps)
        worker = Worker(steps, LINE)
        exchanged = await worker.exchange(wanted=[key("first")])
        assert (list(exchanged.advances), exchanged.ready, exchanged.ended) == ([], False, False)
        claim = exchanged.claims[0]
        assert not isinstance(claim, str)
        exchanged = await worker.exchange(worker.success(claim))
        assert list(exchanged.advances) == [Advance(run=RUN, step="first", state="done", done=1, total=1)]
        assert (exchanged.ready, exchanged.ended) == (True, False)
        exchanged = await worker.exchange(worker.success(await worker.one("second")))
        assert list(exchanged.advances) == [Advance(run=RUN, step="second", state="done", done=1, total=1)]
        assert (exchanged.ready, exchanged.ended) == (False, True)

    async def test_what_is_tried_again_later_is_given_then(self, steps: StepStore, clock: StandingClock) -> None:
        await ONE.begin(steps)
        worker = Worker(steps)
        await ONE.taken(steps)
        await worker.settle(again(await worker.one(), delay=100.0, failures=2))
        clock.advance(99.0)
        assert await ONE.taken(steps) == []
        clock.advance(1.0)
        [turn] = await steps.take(["film"], 1, AGAIN_AFTER)
        assert (turn.failures, turn.trouble, turn.tellings) == (2, TROUBLE, 0)
        claim = await worker.one()
        assert (claim.failures, claim.trouble, claim.phase) == (2, TROUBLE, "do")
        exchanged = await worker.exchange(again(claim, failures=3))
        assert exchanged.ready
        assert (await worker.one()).failures == 3

    async def test_what_is_tried_again_without_trouble_keeps_its_last(self, steps: StepStore) -> None:
        await ONE.begin(steps)
        worker = Worker(steps)
        await worker.settle(again(await worker.one(), trouble=None, failures=0))
        claim = await worker.one()
        assert (claim.failures, claim.trouble) == (0, None)
        await worker.settle(again(claim))
        other = Trouble(error_type="OSError", message="other")
        await worker.settle(again(await worker.one(), trouble=other))
        await worker.settle(again(await worker.one(), trouble=None))
        assert (await worker.one()).trouble == other

    async def test_others_have_at_once_what_is_let_go_as_if_it_had_never_been_claimed(
        self, steps: StepStore, clock: StandingClock
    ) -> None:
        await ONE.begin(steps)
        began = clock.time
        worker = Worker(steps)
        await worker.settle(again(await worker.one(), failures=2))
        before = await worker.one()
        clock.advance(5.0)
        exchanged = await worker.exchange(LetGo(hold=before.hold))
        assert exchanged.ready
        assert await ONE.taken(steps) == ["work"]
        claim = await Worker(steps).one()
        assert (claim.failures, claim.deaths, claim.trouble, claim.accepted) == (2, 0, TROUBLE, began)
        assert claim.token > before.token

    async def test_somebody_is_to_stand_in(self, steps: StepStore, clock: StandingClock) -> None:
        await LINE.begin(steps)
        worker = Worker(steps, LINE, lease=10.0)
        await worker.settle(again(await worker.one("first"), failures=2))
        exchanged = await worker.exchange(stand_in(await worker.one("first")))
        assert (exchanged.ready, exchanged.ended) == (True, False)
        [turn] = await steps.take(["film"], 10, AGAIN_AFTER)
        assert (turn.key, turn.phase, turn.failures, turn.trouble) == (key("first"), "compensate", 0, TROUBLE)
        claim = await worker.one("first")
        assert (claim.phase, claim.failures, claim.deaths, claim.trouble) == ("compensate", 0, 0, TROUBLE)
        await worker.settle(again(claim, failures=1, trouble=None))
        claim = await worker.one("first")
        assert (claim.phase, claim.failures, claim.trouble) == ("compensate", 1, TROUBLE)
        clock.advance(10.0)
        claim = await worker.one("first")
        assert (claim.phase, claim.deaths) == ("compensate", 1)
        assert await worker.settle(worker.success(claim, b'"stand-in"'))
        assert list(await steps.results([(RUN, "first")])) == [b'"stand-in"']
        assert await LINE.taken(steps) == ["second"]

    async def test_a_step_that_is_left_out_as_a_whole_has_no_result_and_its_run_goes_on(self, steps: StepStore) -> None:
        await LINE.begin(steps)
        worker = Worker(steps, LINE)
        exchanged = await worker.exchange(worker.left_out(await worker.one("first")))
        assert list(exchanged.advances) == [Advance(run=RUN, step="first", state="skipped", done=1, total=1)]
        assert list(await steps.results([(RUN, "first")])) == [b"null"]
        assert await LINE.taken(steps) == ["second"]
