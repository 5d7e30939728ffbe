"""Somebody lets a schedule fire now."""

import asyncio

import pytest

from goatherd.model.schedule import ScheduleRule
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.schedule_store import (
    AFTER_END,
    ALIVE,
    BESIDE,
    EVERY,
    JOB,
    NAME,
    QUEUED,
    OpenSchedules,
    SchedulesCases,
    ScheduleStore,
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


class TriggerCases(SchedulesCases):
    async def test_it_fires_now_paused_or_not(self, schedules: ScheduleStore, clock: StandingClock) -> None:
        await declare(schedules)
        await fire(schedules, next_at=clock() + 100.0)
        await schedules.pause(NAME)
        clock.advance(0.5)
        firing = await schedules.trigger(NAME, "by hand")
        assert firing is not None
        assert (firing.schedule, firing.id, firing.state, firing.triggered) == (NAME, "by hand", "due", True)
        assert (firing.tick, firing.fired, firing.job, firing.missed) == (clock(), clock(), None, 0)
        assert await due_firings(schedules) == [firing]
        state = await state_of(schedules)
        assert (state.open, state.last, state.next_at) == (1, firing, clock() + 99.5)
        await schedules.resume(NAME)
        found = await one_due(schedules)
        assert (found.last_fired, found.last_tick) == (clock(), None)

    async def test_the_same_again_is_the_same_firing(
        self, schedules: ScheduleStore, other: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules)
        first = await schedules.trigger(NAME, "by hand")
        clock.advance(1.0)
        assert await other.trigger(NAME, "by hand") == first
        assert await other.trigger("nobody's", "by hand") == first
        await end(schedules, "by hand")
        again = await schedules.trigger(NAME, "by hand")
        assert again is not None
        assert again.state == "done"
        assert await states(schedules) == ["done"]
        assert await schedules.trigger("nobody's", "another") is None

    @pytest.mark.parametrize("rule", [EVERY, QUEUED, AFTER_END])
    async def test_where_runs_must_not_overlap_it_waits(
        self, schedules: ScheduleStore, clock: StandingClock, rule: ScheduleRule
    ) -> None:
        await declare(schedules, rule)
        ids = ["a", "b", "c"]
        fired = [await schedules.trigger(NAME, id) for id in ids]
        # Those of one moment have moments of their own.
        assert len({each.tick for each in fired if each}) == 3
        assert await states(schedules) == ["waiting", "waiting", "due"]
        assert [(each.open, each.waiting) for each in await due(schedules)] == [(1, 2)]
        for id in ids:
            assert [each.id for each in await due_firings(schedules)] == [id]
            await schedules.begun([id])
            await end(schedules, id)
        assert await states(schedules) == ["done", "done", "done"]

    async def test_one_of_a_tick_that_is_worked_on_waits_too(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules)
        await fire(schedules, fires(clock(), "tick"), next_at=clock() + 9.0)
        # At the very moment of the tick, which is its own.
        waiting = await schedules.trigger(NAME, "by hand")
        assert waiting is not None
        assert (waiting.state, waiting.tick) == ("waiting", clock())
        await schedules.begun(["tick"])
        assert await due_firings(schedules) == []
        assert await end(schedules, "tick")
        assert [each.id for each in await due_firings(schedules)] == ["by hand"]

    async def test_where_they_may_overlap_it_begins_at_once(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules, BESIDE)
        for id in ("a", "b"):
            await schedules.trigger(NAME, id)
        assert await states(schedules) == ["due", "due"]
        assert (await one_due(schedules)).open == 2

    async def test_one_that_was_set_sends_its_job(self, schedules: ScheduleStore) -> None:
        await schedules.set(NAME, EVERY, JOB)
        firing = await schedules.trigger(NAME, "by hand")
        assert firing is not None
        assert firing.job == JOB
        assert await due_firings(schedules, "another") == [firing]

    async def test_one_that_is_gone_fires_when_somebody_is_there(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules)
        clock.advance(1000.0)
        assert await schedules.trigger(NAME, "by hand") is not None
        assert [each.id for each in await due_firings(schedules)] == ["by hand"]

    async def test_of_many_at_once_one_begins(self, open_schedules: OpenSchedules) -> None:
        clients = [await open_schedules() for _ in range(4)]
        await declare(clients[0])
        async with asyncio.timeout(60):
            await asyncio.gather(
                *(clients[n % 4].trigger(NAME, f"by hand {n // 2}") for n in range(16)),
                *(client.declare([], ALIVE) for client in clients),
            )
        assert sorted(await states(clients[0])) == ["due"] + ["waiting"] * 7
        for _ in range(8):
            [firing] = await due_firings(clients[1])
            # All tell of the same end.
            told = await asyncio.gather(*(end(client, firing.id) for client in clients))
            assert told.count(True) <= 1
        assert await states(clients[0]) == ["done"] * 8
