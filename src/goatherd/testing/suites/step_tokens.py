"""Cases: tokens grow, and those who are late are fenced off."""

from msgspec import structs

from goatherd.model.run_record import LetGo, UnitHold, UnitSettlement
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.step_people import (
    LINE,
    ONE,
    RUN,
    Plan,
    Worker,
    again,
    failing,
    key,
    parcels,
    separate,
    stand_in,
    state_of,
)
from goatherd.testing.suites.step_store import StepsCases, StepStore

MAP = Plan(each=(), all=["each"])


class TokenCases(StepsCases):
    """Part of `StepsSuite`."""

    async def test_tokens_of_a_unit_only_grow(self, steps: StepStore, clock: StandingClock) -> None:
        began = clock.time
        await MAP.begin(steps)
        worker = Worker(steps, MAP, lease=5.0)
        await worker.spread("each", parcels(1, size=2))
        tokens = []
        for _ in range(4):
            claim = await worker.one("each", 0)
            tokens.append(claim.token)
            # A clock that is set back changes nothing.
            clock.advance(-1000.0)
            assert await worker.settle(again(claim))
        claim = await worker.one("each", 0)
        tokens.append(claim.token)
        await worker.settle(LetGo(hold=claim.hold))
        claim = await worker.one("each", 0)
        tokens.append(claim.token)
        clock.advance(10.0)
        tokens.append((await worker.one("each", 0)).token)
        clock.advance(10.0)
        await steps.reap(10)
        claim = await worker.one("each", 0)
        tokens.append(claim.token)
        await worker.settle(separate(claim))
        tokens.append((await worker.one("each", 0)).token)
        assert tokens == sorted(set(tokens))
        assert tokens[0] > int(began * 1_000_000)

    async def test_tokens_are_greater_than_the_clock_was_when_the_run_began(
        self, steps: StepStore, clock: StandingClock
    ) -> None:
        await MAP.begin(steps)
        began = int(clock.time * 1_000_000)
        clock.advance(-3600.0)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(2))
        claims = [await worker.one("each", 0), await worker.one("each", 1)]
        assert all(claim.token > began for claim in claims)

    async def test_what_shows_another_token_changes_nothing(self, steps: StepStore, clock: StandingClock) -> None:
        await ONE.begin(steps)
        late, worker = Worker(steps, lease=10.0), Worker(steps)
        lost = await late.one()
        clock.advance(10.0)
        claim = await worker.one()
        forged = structs.replace(claim, token=claim.token + 1)
        for shown in (lost, forged):
            settlements: list[UnitSettlement] = [
                late.success(shown, b'"late"'), late.left_out(shown), again(shown), stand_in(shown), failing(shown),
                separate(shown), LetGo(hold=shown.hold),
            ]  # fmt: skip
            exchanged = await late.exchange(*settlements)
            assert not any(exchanged.settled)
            assert not exchanged.ended
            assert list(await steps.beat([shown.hold], 30.0)) == [False]
        assert await steps.letters(10) == []
        assert await state_of(steps) == "running"
        assert await worker.settle(worker.success(claim, b'"mine"'))
        assert list(await steps.results([(RUN, "work")])) == [b'"mine"']

    async def test_one_who_was_reaped_is_fenced_off_though_nobody_has_the_unit_yet(
        self, steps: StepStore, clock: StandingClock
    ) -> None:
        await ONE.begin(steps)
        worker = Worker(steps, lease=10.0)
        claim = await worker.one()
        clock.advance(10.0)
        assert await steps.reap(10) == 1
        assert not await worker.settle(worker.success(claim))
        assert list(await steps.beat([claim.hold], 30.0)) == [False]
        assert await ONE.taken(steps) == ["work"]

    async def test_what_was_done_once_keeps_its_first_result(self, steps: StepStore, clock: StandingClock) -> None:
        await LINE.begin(steps)
        late, worker = Worker(steps, LINE, lease=10.0), Worker(steps, LINE)
        lost = await late.one("first")
        clock.advance(10.0)
        claim = await worker.one("first")
        await worker.settle(worker.success(claim, b"1"))
        assert not await late.settle(late.success(lost, b"2"))
        await worker.exchange(worker.success(claim, b"3"), failing(claim), again(claim), LetGo(hold=claim.hold))
        assert list(await steps.results([(RUN, "first")])) == [b"1"]
        assert await state_of(steps) == "running"
        assert await LINE.taken(steps) == ["second"]

    async def test_nobody_settles_what_is_not_there(self, steps: StepStore) -> None:
        await ONE.begin(steps)
        worker = Worker(steps)
        claim = await worker.one()
        for wrong in (key("work", run="nobody"), key("play"), key("work", 3)):
            hold = UnitHold(key=wrong, token=claim.token)
            assert not await worker.settle(LetGo(hold=hold))
            assert list(await steps.beat([hold], 30.0)) == [False]
