"""What people and programs ask of schedules."""

import pytest

from goatherd.errors import DefinitionError
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.schedule_store import (
    AFTER_END,
    ALIVE,
    BESIDE,
    EVERY,
    JOB,
    NAME,
    OTHER,
    QUEUED,
    SchedulesCases,
    ScheduleStore,
    decided,
    declare,
    due,
    due_firings,
    end,
    fire,
    fires,
    one_due,
    state_of,
    states,
)

BAD_TEXT = pytest.mark.parametrize("text", ["a\0b", "half \ud800", ""])


class SetCases(SchedulesCases):
    async def test_one_that_is_set_fires_for_everybody_with_its_job(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        await schedules.set(NAME, EVERY, JOB)
        # Whoever looks, whatever names he has, and however long ago it was.
        clock.advance(1000.0)
        [found] = (await schedules.look([], 10)).due
        assert (found.name, found.rule, found.next_at) == (NAME, EVERY, None)
        await schedules.decide([decided(found, fires(clock(), "job"), next_at=clock() + 9.0)])
        look = await schedules.look(["another"], 10)
        assert (look.next_at, [(each.id, each.job) for each in look.firings]) == (clock() + 9.0, [("job", JOB)])
        assert (await schedules.look([NAME], 10)).firings == look.firings
        assert (await state_of(schedules)).origin == "set"

    async def test_to_set_the_same_again_changes_nothing(self, schedules: ScheduleStore, clock: StandingClock) -> None:
        await schedules.set(NAME, EVERY, JOB)
        seen = await one_due(schedules)
        clock.advance(1.0)
        await schedules.set(NAME, EVERY, JOB)
        assert await one_due(schedules) == seen
        await fire(schedules, next_at=clock() + 9.0)
        await schedules.set(NAME, EVERY, JOB)
        assert await due(schedules) == []

    async def test_another_rule_is_worked_out_anew_and_another_job_is_sent_at_the_same_times(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        await schedules.set(NAME, BESIDE, JOB)
        await fire(schedules, fires(1.0, "old"), next_at=clock() + 9.0)
        await schedules.set(NAME, BESIDE, b"new")
        assert (await state_of(schedules)).next_at == clock() + 9.0
        clock.advance(9.0)
        await fire(schedules, fires(2.0, "new"), next_at=clock() + 9.0)
        assert [(each.id, each.job) for each in await due_firings(schedules)] == [("old", JOB), ("new", b"new")]
        await schedules.set(NAME, OTHER, b"new")
        found = await one_due(schedules)
        assert (found.rule, found.next_at, found.open) == (OTHER, None, 2)

    async def test_it_counts_whatever_programs_declare_until_it_is_taken_back(
        self, schedules: ScheduleStore, other: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules, EVERY)
        await fire(schedules, next_at=clock() + 9.0)
        await other.set(NAME, OTHER, None)
        found = await one_due(schedules)
        assert (found.rule, found.next_at) == (OTHER, None)
        assert (await state_of(schedules)).origin == "set"
        await fire(schedules, next_at=clock() + 3.0)
        await declare(schedules, QUEUED)
        state = await state_of(schedules)
        assert (state.rule, state.next_at) == (OTHER, clock() + 3.0)
        assert await other.remove(NAME)
        found = await one_due(schedules)
        assert (found.rule, found.next_at) == (QUEUED, None)
        assert (await state_of(schedules)).origin == "code"
        assert not await other.remove(NAME)
        assert not await other.remove("nobody's")

    async def test_with_the_rule_that_it_has_its_place_in_time_stays(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules, EVERY)
        await fire(schedules, next_at=clock() + 9.0)
        await schedules.set(NAME, EVERY, None)
        assert (await state_of(schedules)).next_at == clock() + 9.0
        assert await schedules.remove(NAME)
        assert (await state_of(schedules)).next_at == clock() + 9.0

    async def test_without_a_job_it_is_for_those_who_have_it(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules, EVERY)
        await schedules.set(NAME, OTHER, None)
        assert [each.name for each in await due(schedules, "another")] == []
        await fire(schedules, fires(1.0), next_at=clock() + 9.0)
        look = await schedules.look(["another"], 10)
        assert (look.firings, look.next_at) == ((), None)
        clock.advance(ALIVE)
        assert await due(schedules) == []
        assert (await state_of(schedules)).origin == "gone"
        await declare(schedules, EVERY)
        assert (await one_due(schedules)).rule == OTHER

    async def test_one_that_programs_had_fires_with_a_job_though_they_are_gone(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules, EVERY)
        clock.advance(ALIVE)
        await schedules.set(NAME, OTHER, JOB)
        assert (await state_of(schedules)).origin == "set"
        assert (await one_due(schedules, "another")).rule == OTHER
        await schedules.remove(NAME)
        assert (await state_of(schedules)).origin == "gone"
        assert await due(schedules) == []

    async def test_one_that_was_set_and_taken_back_is_none(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        await schedules.set(NAME, EVERY, JOB)
        await fire(schedules, fires(1.0, "job"), next_at=clock() + 9.0)
        await schedules.pause(NAME)
        assert await schedules.remove(NAME)
        assert list(await schedules.list()) == []
        assert not await schedules.remove(NAME)
        assert not await schedules.pause(NAME)
        assert not await schedules.resume(NAME)
        assert await schedules.trigger(NAME, "another") is None
        assert await states(schedules) == ["due"]
        # Set again, it begins anew; what has fired still counts.
        await schedules.set(NAME, EVERY, JOB)
        found = await one_due(schedules)
        assert (found.next_at, found.open, found.last_tick) == (None, 1, 1.0)
        assert not (await state_of(schedules)).paused

    @BAD_TEXT
    async def test_what_no_database_keeps_is_refused(self, schedules: ScheduleStore, text: str) -> None:
        with pytest.raises(DefinitionError, match="name"):
            await declare(schedules, name=text)
        with pytest.raises(DefinitionError, match="name"):
            await schedules.set(text, EVERY, JOB)
        assert list(await schedules.list()) == []
        look = await schedules.look([text], 10)
        assert (look.due, look.firings) == ((), ())
        assert not await schedules.pause(text)
        assert not await schedules.resume(text)
        assert not await schedules.remove(text)
        assert list(await schedules.history(text, 10)) == []
        assert await schedules.trigger(text, "id") is None
        await declare(schedules)
        with pytest.raises(DefinitionError, match="id"):
            await schedules.trigger(NAME, text)
        if text:
            with pytest.raises(DefinitionError, match="id"):
                await schedules.decide([decided(await one_due(schedules), fires(1.0, text))])
        assert await states(schedules) == []


class PauseCases(SchedulesCases):
    async def test_one_that_is_paused_fires_no_more_but_what_has_fired_goes_on(
        self, schedules: ScheduleStore, other: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules, QUEUED)
        await fire(schedules, fires(1.0, "a"), fires(2.0, "b", state="waiting"), next_at=clock() + 1.0)
        assert await other.pause(NAME)
        assert await other.pause(NAME)
        clock.advance(5.0)
        look = await schedules.look([NAME], 10)
        assert (look.due, look.next_at, [each.id for each in look.firings]) == ((), None, ["a"])
        await schedules.begun(["a"])
        assert await end(schedules, "a")
        assert [each.id for each in await due_firings(schedules)] == ["b"]
        state = await state_of(schedules)
        assert (state.paused, state.origin) == (True, "code")
        # Nor does another version change that.
        await declare(schedules, OTHER)
        assert await due(schedules) == []

    async def test_one_that_goes_on_is_worked_out_anew(self, schedules: ScheduleStore, clock: StandingClock) -> None:
        await declare(schedules)
        await fire(schedules, fires(clock(), "a"), next_at=clock() + 1.0)
        await schedules.pause(NAME)
        clock.advance(5.0)
        assert await schedules.resume(NAME)
        found = await one_due(schedules)
        assert (found.next_at, found.last_tick) == (None, clock() - 5.0)
        assert not (await state_of(schedules)).paused
        # One that was not paused loses nothing.
        await fire(schedules, next_at=clock() + 1.0)
        assert await schedules.resume(NAME)
        assert (await state_of(schedules)).next_at == clock() + 1.0

    async def test_one_that_waited_for_an_end_is_worked_out_too(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules, AFTER_END)
        await fire(schedules, fires(clock(), "a"), next_at=None)
        await schedules.pause(NAME)
        assert await schedules.resume(NAME)
        assert (await one_due(schedules)).open == 1

    async def test_there_must_be_such_a_schedule(self, schedules: ScheduleStore) -> None:
        assert not await schedules.pause(NAME)
        assert not await schedules.resume(NAME)
        assert list(await schedules.list()) == []
