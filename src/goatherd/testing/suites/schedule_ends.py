"""Runs of firings begin and end; old firings are forgotten."""

from typing import Any

from goatherd.model.schedule import FiringEnd
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.schedule_store import (
    AFTER_END,
    BESIDE,
    EVERY,
    JOB,
    NAME,
    QUEUED,
    SchedulesCases,
    ScheduleStore,
    declare,
    due,
    due_firings,
    end,
    fire,
    fires,
    lost,
    one_due,
    state_of,
    states,
)

LATER = 9e9


class FiringEndCases(SchedulesCases):
    async def test_a_run_begins_and_ends(self, schedules: ScheduleStore, clock: StandingClock) -> None:
        await declare(schedules)
        await fire(schedules, fires(clock(), "run"), next_at=clock() + 10.0)
        fired = clock()
        clock.advance(1.0)
        await schedules.begun(["run"])
        assert await due_firings(schedules) == []
        clock.advance(1.0)
        # Told again, which is nothing new.
        await schedules.begun(["run", "nobody's"])
        await schedules.begun(["run"], ended=True)
        [firing] = await schedules.history(NAME, 10)
        assert (firing.state, firing.fired, firing.begun, firing.ended) == ("open", fired, fired + 1.0, None)
        assert not await end(schedules, "run")
        [firing] = await schedules.history(NAME, 10)
        assert (firing.state, firing.begun, firing.ended) == ("done", fired + 1.0, fired + 2.0)
        state = await state_of(schedules)
        assert (state.last, state.last_end, state.open) == (firing, firing, 0)
        clock.advance(10.0)
        found = await one_due(schedules)
        assert (found.open, found.last_ended, found.last_fired) == (0, fired + 2.0, fired + 1.0)

    async def test_a_run_that_ended_before_its_beginning_was_told_has_ended(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules)
        await fire(schedules, fires(clock(), "run"), next_at=clock() + 10.0)
        await end(schedules, "run", state="failed")
        await schedules.begun(["run"])
        assert await states(schedules) == ["failed"]
        assert (await state_of(schedules)).open == 0

    async def test_what_was_only_to_be_sent_is_done(self, schedules: ScheduleStore, clock: StandingClock) -> None:
        await schedules.set(NAME, QUEUED, JOB)
        await fire(schedules, fires(1.0, "job"), fires(2.0, "next", state="waiting"), next_at=clock() + 10.0)
        clock.advance(1.0)
        await schedules.begun(["job"], ended=True)
        newest, oldest = await schedules.history(NAME, 10)
        assert (oldest.state, oldest.begun, oldest.ended) == ("done", clock(), clock())
        # And the one after it is due.
        assert await due_firings(schedules) == [newest]
        await schedules.begun(["next"], ended=True)
        state = await state_of(schedules)
        assert (state.open, state.waiting) == (0, 0)

    async def test_the_oldest_that_waits_is_due_when_one_ends(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules, QUEUED)
        new = [fires(1.0, "a"), fires(2.0, "b", state="waiting"), fires(3.0, "c", state="waiting")]
        await fire(schedules, *new, next_at=clock() + 2.0)
        await schedules.begun(["a"])
        clock.advance(1.0)
        assert await end(schedules, "a", state="failed")
        assert [each.id for each in await due_firings(schedules)] == ["b"]
        assert await states(schedules) == ["waiting", "due", "failed"]
        clock.advance(1.0)
        found = await one_due(schedules)
        assert (found.open, found.waiting, found.last_fired, found.last_tick) == (1, 1, clock() - 1.0, 3.0)
        assert await end(schedules, "b")
        assert not await end(schedules, "c") or await states(schedules) == ["done", "done", "failed"]
        assert await states(schedules) == ["done", "done", "failed"]
        found = await one_due(schedules)
        assert (found.open, found.waiting, found.last_ended) == (0, 0, clock())

    async def test_one_that_waits_does_not_begin_beside_another(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        """Two may be open where that was allowed before."""
        await declare(schedules, BESIDE)
        await fire(schedules, fires(1.0, "a"), fires(2.0, "b"), next_at=clock())
        await declare(schedules, QUEUED)
        await fire(schedules, fires(3.0, "c", state="waiting"), next_at=clock() + 60.0)
        assert not await end(schedules, "a")
        assert await states(schedules) == ["waiting", "due", "done"]
        assert await end(schedules, "b")
        assert await states(schedules) == ["due", "done", "done"]

    async def test_one_that_waits_begins_with_the_next_end_where_runs_may_overlap_by_now(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules, QUEUED)
        await fire(schedules, fires(1.0, "a"), fires(2.0, "b", state="waiting"), next_at=clock())
        await declare(schedules, BESIDE)
        await fire(schedules, fires(3.0, "c"), next_at=clock() + 60.0)
        assert await end(schedules, "c")
        assert await states(schedules) == ["done", "due", "due"]

    async def test_one_whose_next_tick_depends_on_the_end_is_worked_out_then(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules, AFTER_END)
        await fire(schedules, fires(clock(), "run"), next_at=None)
        await schedules.begun(["run"])
        clock.advance(7.0)
        assert await due(schedules) == []
        assert await end(schedules, "run", state="cancelled")
        found = await one_due(schedules)
        assert (found.next_at, found.last_ended, found.open) == (None, clock(), 0)
        await fire(schedules, next_at=clock() + 5.0)
        # Somebody lets it run before that: it is due so much after this end.
        await schedules.trigger(NAME, "by hand")
        clock.advance(1.0)
        assert await end(schedules, "by hand")
        found = await one_due(schedules)
        assert (found.next_at, found.last_ended) == (None, clock())

    async def test_there_is_nothing_to_do_after_the_end_of_one_that_is_paused_or_gone(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        for name in ("paused", "gone"):
            await declare(schedules, AFTER_END, name)
            await fire(schedules, fires(1.0, name), next_at=None, name=name)
        await schedules.pause("paused")
        assert not await end(schedules, "paused")
        clock.advance(1000.0)
        assert not await end(schedules, "gone")
        for name in ("paused", "gone"):
            await declare(schedules, AFTER_END, name)
        assert [each.name for each in await due(schedules, "paused", "gone")] == ["gone"]
        await schedules.resume("paused")
        assert (await one_due(schedules, "paused")).last_ended == clock() - 1000.0

    async def test_an_end_that_is_told_twice_changes_nothing(
        self, schedules: ScheduleStore, other: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules, QUEUED)
        new = [fires(1.0, "a"), *(fires(n, state="waiting") for n in (2.0, 3.0))]
        await fire(schedules, *new, next_at=clock())
        assert await end(schedules, "a", "a")
        before = await one_due(schedules), await schedules.history(NAME, 10)
        clock.advance(1.0)
        assert not await end(other, "a")
        assert not await end(other, "a", "a")
        assert (await one_due(schedules), await schedules.history(NAME, 10)) == before

    async def test_the_end_of_a_run_that_is_no_firing_changes_nothing(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules)
        await fire(schedules, lost(1.0), fires(2.0, "a"), fires(3.0, "b", state="waiting"), next_at=clock())
        before = await one_due(schedules)
        assert not await end(schedules, "nobody's", "", "b", "\0", "half \ud800")
        await schedules.begun(["nobody's", "", "b", "\0", "half \ud800"])
        assert not await schedules.ended([])
        await schedules.begun([])
        assert await one_due(schedules) == before
        assert await states(schedules) == ["waiting", "due", "missed"]

    async def test_a_run_that_was_taken_up_again_changes_only_how_it_ended(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules, AFTER_END)
        await fire(schedules, fires(1.0, "a"), fires(2.0, "b", state="waiting"), next_at=None)
        await end(schedules, "a", state="failed")
        await fire(schedules, next_at=None)
        before = await state_of(schedules)
        clock.advance(3.0)
        assert not await end(schedules, "a")
        newest, oldest = await schedules.history(NAME, 10)
        assert (oldest.state, oldest.ended) == ("done", clock())
        assert newest.state == "due"
        after = await state_of(schedules)
        assert (after.open, after.waiting, after.last) == (before.open, before.waiting, before.last) == (1, 0, newest)
        # It still waits for the end of the other one.
        assert await due(schedules) == []
        assert await end(schedules, "b")
        assert (await one_due(schedules)).open == 0

    async def test_ends_of_several_schedules_are_told_at_once(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        for name in "abc":
            await declare(schedules, name=name)
            await fire(schedules, fires(1.0, name), next_at=clock() + 9.0, name=name)
        ends: list[tuple[str, Any]] = [("c", "done"), ("a", "failed"), ("b", "cancelled")]
        assert not await schedules.ended([FiringEnd(id=id, state=state) for id, state in ends])
        assert [await states(schedules, name) for name in "abc"] == [["failed"], ["cancelled"], ["done"]]
        # Of all that ended the newest is shown, whenever that was.
        await declare(schedules, BESIDE, "d")
        await fire(schedules, fires(1.0, "old"), fires(2.0, "new"), next_at=clock(), name="d")
        await end(schedules, "new")
        await end(schedules, "old")
        last = (await state_of(schedules, "d")).last_end
        assert last is not None
        assert last.id == "new"


class FiringForgetCases(SchedulesCases):
    async def test_what_is_over_is_forgotten_in_time(self, schedules: ScheduleStore, clock: StandingClock) -> None:
        await declare(schedules, BESIDE, alive=LATER)
        new = [lost(1.0), lost(2.0, "skipped"), *(fires(float(n)) for n in range(3, 9))]
        await fire(schedules, *new, next_at=clock())
        for number, state in ((3, "done"), (4, "failed"), (5, "cancelled")):
            await end(schedules, f"run at {number}", state=state)
        clock.advance(10.0)
        await end(schedules, "run at 6")
        assert await schedules.forget(10.1, 100) == 0
        assert await schedules.forget(10.0, 2) == 2
        assert await schedules.forget(10.0, 100) == 3
        assert await states(schedules) == ["due", "due", "done"]
        assert (await one_due(schedules)).last_tick == 8.0

    async def test_the_newest_is_kept_and_the_newest_that_ended(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules, EVERY, alive=LATER)
        await fire(schedules, fires(1.0, "a"), next_at=clock())
        await end(schedules, "a")
        await fire(schedules, fires(2.0, "b"), next_at=clock())
        await end(schedules, "b")
        await fire(schedules, lost(3.0), lost(4.0, "skipped"), next_at=clock())
        clock.advance(1000.0)
        assert await schedules.forget(1.0, 100) == 2
        assert [each.tick for each in await schedules.history(NAME, 10)] == [4.0, 2.0]
        state = await state_of(schedules)
        assert state.last is not None
        assert state.last_end is not None
        assert (state.last.tick, state.last_end.tick) == (4.0, 2.0)
        assert await schedules.forget(1.0, 100) == 0

    async def test_of_one_that_was_set_and_taken_back_nothing_is_left(
        self, schedules: ScheduleStore, store: Any, clock: StandingClock
    ) -> None:
        await schedules.set(NAME, EVERY, JOB)
        await fire(schedules, fires(1.0, "a"), fires(2.0, "b"), next_at=clock())
        seen = await one_due(schedules)
        await schedules.remove(NAME)
        # What it has fired is sent all the same.
        assert [each.job for each in await due_firings(schedules, "another")] == [JOB, JOB]
        await schedules.begun(["a"], ended=True)
        clock.advance(100.0)
        assert await schedules.forget(1.0, 100) == 1
        assert await states(schedules) == ["due"]
        await schedules.begun(["b"], ended=True)
        assert await schedules.forget(0.0, 100) == 1
        assert list(await self.kept(store)) == []
        # Another one of that name is none that somebody has seen before.
        await schedules.set(NAME, EVERY, JOB)
        assert (await one_due(schedules)).rev > seen.rev
