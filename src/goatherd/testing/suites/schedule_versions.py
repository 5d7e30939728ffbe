"""Which version of a schedule counts."""

import pytest

from goatherd.model.schedule import Cron, Declared, Rate, ScheduleRule
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.schedule_store import (
    AFTER_END,
    ALIVE,
    EVERY,
    NAME,
    OTHER,
    SchedulesCases,
    ScheduleStore,
    decided,
    declare,
    due,
    fire,
    fires,
    one_due,
    state_of,
    states,
)


class VersionCases(SchedulesCases):
    async def test_one_that_is_new_is_due_at_once(self, schedules: ScheduleStore, clock: StandingClock) -> None:
        assert await due(schedules) == []
        await declare(schedules)
        found = await one_due(schedules)
        assert (found.name, found.rule, found.next_at) == (NAME, EVERY, None)
        assert (found.open, found.waiting) == (0, 0)
        assert (found.last_fired, found.last_ended, found.last_tick) == (None, None, None)
        state = await state_of(schedules)
        assert (state.rule, state.origin, state.paused, state.next_at) == (EVERY, "code", False, None)
        assert (state.last, state.last_end) == (None, None)

    @pytest.mark.parametrize(
        "rule",
        [
            ScheduleRule(timing=Cron("0 0 2 * * *", "Asia/Tokyo"), overlap="queue", misfire=3, jitter=2.5),
            ScheduleRule(timing=Rate(0.1), misfire="skip", min_spacing=1e-6),
            AFTER_END,
        ],
    )
    async def test_a_rule_is_given_as_it_was_declared(self, schedules: ScheduleStore, rule: ScheduleRule) -> None:
        await declare(schedules, rule)
        assert (await one_due(schedules)).rule == rule
        assert (await state_of(schedules)).rule == rule

    async def test_whoever_declares_the_same_again_changes_nothing(
        self, schedules: ScheduleStore, other: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules)
        found = await one_due(schedules)
        clock.advance(1.0)
        # The number is the same, however it is written.
        await declare(other, ScheduleRule(timing=Rate(60)))
        assert await one_due(schedules) == found
        assert list(await schedules.decide([decided(found, next_at=clock() + 5.0)])) == [True]
        await declare(schedules)
        assert await due(schedules) == []
        assert (await state_of(schedules)).next_at == clock() + 5.0

    async def test_many_are_declared_at_once(self, schedules: ScheduleStore) -> None:
        names = [f"schedule {number}" for number in range(20)]
        await schedules.declare([Declared(name=name, rule=EVERY) for name in names], ALIVE)
        await schedules.declare([], ALIVE)
        assert sorted(each.name for each in await due(schedules, *names)) == sorted(names)
        assert [each.name for each in await schedules.list()] == sorted(names)

    async def test_the_newest_version_counts_and_older_ones_that_live_do_not_win_back(
        self, schedules: ScheduleStore, other: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules, EVERY)
        await fire(schedules, next_at=clock() + 50.0)
        before = await state_of(schedules)
        await declare(other, OTHER)
        changed = await one_due(schedules)
        assert (changed.rule, changed.next_at) == (OTHER, None)
        assert before.next_at == clock() + 50.0
        for _ in range(20):
            # Its processes die and begin anew, one after another.
            clock.advance(10.0)
            await declare(schedules, EVERY)
            await declare(other, OTHER)
            assert (await state_of(schedules)).rule == OTHER

    async def test_what_was_decided_by_an_older_version_is_void(
        self, schedules: ScheduleStore, other: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules, EVERY)
        seen = await one_due(schedules)
        await declare(other, OTHER)
        assert list(await schedules.decide([decided(seen, fires(clock()), next_at=clock() + 60.0)])) == [False]
        assert await states(schedules) == []

    async def test_an_older_version_counts_again_when_the_newer_one_was_silent(
        self, schedules: ScheduleStore, other: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules, EVERY)
        await declare(other, OTHER)
        await fire(schedules, next_at=clock() + 3600.0)
        clock.advance(ALIVE - 1.0)
        await declare(schedules, EVERY)
        assert (await state_of(schedules)).rule == OTHER
        clock.advance(1.0)
        # Nobody has declared anything since.
        found = await one_due(schedules)
        assert (found.rule, found.next_at) == (EVERY, None)
        assert (await state_of(schedules)).rule == EVERY

    async def test_one_that_was_silent_and_comes_back_has_appeared_anew(
        self, schedules: ScheduleStore, other: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules, EVERY)
        await declare(other, OTHER)
        clock.advance(ALIVE - 1.0)
        await declare(other, OTHER)
        clock.advance(1.0)
        # The old one was silent since the beginning: this is a roll back.
        await declare(schedules, EVERY)
        assert (await state_of(schedules)).rule == EVERY
        await declare(other, OTHER)
        assert (await state_of(schedules)).rule == EVERY

    async def test_whoever_said_that_it_lives_longer_is_believed(
        self, schedules: ScheduleStore, other: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules, alive=100.0)
        await declare(other, alive=10.0)
        clock.advance(99.0)
        assert (await state_of(schedules)).origin == "code"
        clock.advance(1.0)
        assert (await state_of(schedules)).origin == "gone"

    async def test_one_that_no_living_program_has_is_gone_and_fires_no_more(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules)
        seen = await one_due(schedules)
        clock.advance(ALIVE)
        assert list(await schedules.decide([decided(seen, fires(clock()), next_at=clock())])) == [False]
        assert await due(schedules) == []
        assert (await schedules.look([NAME], 10)).next_at is None
        assert (await state_of(schedules)).origin == "gone"

    async def test_one_that_comes_back_has_its_firings_and_its_place_in_time(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules)
        at = clock()
        await fire(schedules, fires(at), next_at=at + 60.0)
        clock.advance(1000.0)
        assert await due(schedules) == []
        assert await states(schedules) == ["due"]
        await declare(schedules)
        found = await one_due(schedules)
        assert (found.next_at, found.last_tick, found.last_fired, found.open) == (at + 60.0, at, at, 1)

    async def test_one_that_comes_back_with_another_rule_is_worked_out_anew(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules)
        await fire(schedules, fires(clock()), next_at=clock() + 3600.0)
        clock.advance(1000.0)
        await declare(schedules, OTHER)
        found = await one_due(schedules)
        assert (found.rule, found.next_at, found.last_tick) == (OTHER, None, clock() - 1000.0)

    async def test_one_that_waits_for_an_end_is_worked_out_anew_when_its_rule_changes(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules, AFTER_END)
        await fire(schedules, fires(clock()))
        assert await due(schedules) == []
        await declare(schedules, EVERY)
        assert (await one_due(schedules)).rule == EVERY
