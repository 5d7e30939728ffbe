"""What is due, and who is heard of those who decide about it."""

import asyncio
from collections.abc import Awaitable, Callable

from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.schedule_store import (
    AFTER_END,
    BESIDE,
    EVERY,
    JOB,
    NAME,
    OpenSchedules,
    SchedulesCases,
    ScheduleStore,
    decided,
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


class TickCases(SchedulesCases):
    async def test_one_is_due_when_its_time_has_come(self, schedules: ScheduleStore, clock: StandingClock) -> None:
        await declare(schedules)
        await fire(schedules, next_at=clock() + 1.0)
        look = await schedules.look([NAME], 10)
        assert (look.now, look.due, look.firings, look.next_at) == (clock(), (), (), clock() + 1.0)
        clock.advance(1.0)
        found = await one_due(schedules)
        assert found.next_at == clock()
        assert (await schedules.look([NAME], 10)).next_at is None

    async def test_only_what_one_asks_for_is_given(self, schedules: ScheduleStore, clock: StandingClock) -> None:
        await declare(schedules, name="a")
        await declare(schedules, name="b")
        assert [each.name for each in await due(schedules, "b", "b", "c")] == ["b"]
        look = await schedules.look([], 10)
        assert (look.due, look.firings, look.next_at) == ((), (), None)
        await fire(schedules, fires(1.0, "run"), next_at=clock() + 5.0, name="a")
        assert await due_firings(schedules, "b") == []
        assert (await schedules.look(["b"], 10)).next_at is None

    async def test_those_that_are_due_longest_come_first_and_no_more_than_asked_for(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        names = ["c", "a", "b"]
        for late, name in enumerate(names):
            await declare(schedules, name=name)
            await fire(schedules, fires(clock() - 10 + late, f"run {name}"), next_at=clock() + 1.0 + late, name=name)
        clock.advance(10.0)
        look = await schedules.look(sorted(names), 2)
        assert [each.name for each in look.due] == ["c", "a"]
        assert [each.id for each in look.firings] == ["run c", "run a"]

    async def test_those_that_send_jobs_come_after_those_that_are_asked_for_however_many_there_are(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        for name in ("a", "b"):
            await schedules.set(name, BESIDE, JOB)
            await schedules.trigger(name, f"job {name}")
        clock.advance(10.0)
        await declare(schedules, name="own")
        await schedules.trigger("own", "run")
        look = await schedules.look(["own"], 2)
        assert [each.name for each in look.due] == ["own", "a"]
        assert [each.id for each in look.firings] == ["run", "job a"]

    async def test_a_decision_is_put_on_record(self, schedules: ScheduleStore, clock: StandingClock) -> None:
        await declare(schedules)
        at = clock()
        new = [lost(at - 3, missed=7), lost(at - 2, "skipped"), fires(at - 1), fires(at, state="waiting")]
        clock.advance(0.5)
        await fire(schedules, *new, next_at=at + 30.0)
        kept = await schedules.history(NAME, 10)
        assert [(each.tick, each.id, each.state, each.missed) for each in kept] == [
            (each.tick, each.id, each.state, each.missed) for each in reversed(new)
        ]
        assert {(each.schedule, each.fired, each.begun, each.ended, each.triggered, each.job) for each in kept} == {
            (NAME, at + 0.5, None, None, False, None)
        }
        assert await due_firings(schedules) == [kept[1]]
        clock.advance(40.0)
        found = await one_due(schedules)
        assert (found.open, found.waiting, found.next_at) == (1, 1, at + 30.0)
        assert (found.last_fired, found.last_tick, found.last_ended) == (at + 0.5, at, None)
        state = await state_of(schedules)
        assert (state.last, state.last_end, state.open, state.waiting) == (kept[0], None, 1, 1)
        assert await schedules.history(NAME, 2) == list(kept[:2])

    async def test_what_was_missed_or_skipped_did_not_fire(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules)
        await fire(schedules, lost(clock() - 1.0), lost(clock(), "skipped"), next_at=clock())
        found = await one_due(schedules)
        assert (found.last_fired, found.last_tick, found.open, found.waiting) == (None, clock(), 0, 0)

    async def test_of_two_who_decide_by_the_same_look_one_is_heard(
        self, schedules: ScheduleStore, other: ScheduleStore, clock: StandingClock
    ) -> None:
        await declare(schedules)
        mine, theirs = await one_due(schedules), await one_due(other)
        assert list(await other.decide([decided(theirs, fires(clock()), next_at=clock() + 60.0)])) == [True]
        # One who was frozen meanwhile, or says it again.
        for client, seen in ((schedules, mine), (other, theirs)):
            new = [fires(clock() - 1.0), fires(clock(), "another"), fires(clock() + 1.0)]
            assert list(await client.decide([decided(seen, *new, next_at=clock() + 99.0)])) == [False]
        assert [each.tick for each in await schedules.history(NAME, 10)] == [clock()]
        assert (await state_of(schedules)).next_at == clock() + 60.0

    async def test_of_many_at_once_one_is_heard(self, open_schedules: OpenSchedules, clock: StandingClock) -> None:
        clients = [await open_schedules() for _ in range(8)]
        names = ["a", "b", "c"]
        for name in names:
            await declare(clients[0], name=name)
        ticks = 5

        async def tick(number: int, client: ScheduleStore) -> int:
            heard = 0
            while left := [each for each in await due(client, *names) if (each.last_tick or 0.0) < ticks]:
                if number % 2:
                    left.reverse()
                new = [
                    decided(each, fires((each.last_tick or 0.0) + 1.0, f"{each.name} {number} {each.rev}"), next_at=0.0)
                    for each in left
                ]
                heard += sum(await client.decide(new))
            return heard

        async with asyncio.timeout(120):
            heard = await asyncio.gather(*(tick(number, client) for number, client in enumerate(clients)))
        assert sum(heard) == ticks * len(names)
        for name in names:
            assert [each.tick for each in await clients[0].history(name, 100)] == [5.0, 4.0, 3.0, 2.0, 1.0]
            assert (await state_of(clients[0], name)).open == ticks

    async def test_each_of_several_decisions_is_answered(self, schedules: ScheduleStore, clock: StandingClock) -> None:
        for name in "abc":
            await declare(schedules, name=name)
        seen = {each.name: each for each in await due(schedules, *"abc")}
        await fire(schedules, next_at=clock() + 1.0, name="b")
        new = [decided(seen[name], fires(clock(), f"run {name}"), next_at=None) for name in ("c", "b", "a", "a")]
        assert list(await schedules.decide(new)) == [True, False, True, False]
        assert sorted(each.id for each in await due_firings(schedules, *"abc")) == ["run a", "run c"]
        assert list(await schedules.decide([])) == []
        missing = decided(seen["a"]).__class__(name="nobody's", rev=1, firings=(), next_at=None)
        assert list(await schedules.decide([missing])) == [False]

    async def test_a_tick_that_is_on_record_does_not_fire_again(
        self, schedules: ScheduleStore, clock: StandingClock
    ) -> None:
        """Also where somebody counts wrongly."""
        await declare(schedules, BESIDE)
        await fire(schedules, fires(clock(), "once"), next_at=clock())
        await fire(schedules, fires(clock(), "twice"), fires(clock() + 1.0, "once"), next_at=clock())
        assert [each.id for each in await schedules.history(NAME, 10)] == ["once"]
        assert (await one_due(schedules)).open == 1

    async def test_every_change_makes_older_looks_void(self, schedules: ScheduleStore, clock: StandingClock) -> None:
        await declare(schedules, BESIDE)
        await fire(schedules, fires(1.0), fires(2.0), next_at=clock())
        changes: list[Callable[[], Awaitable[object]]] = [
            lambda: schedules.begun(["run at 1"]),
            lambda: schedules.begun(["run at 2"], ended=True),
            lambda: end(schedules, "run at 1"),
            lambda: end(schedules, "run at 1", state="failed"),
            lambda: schedules.trigger(NAME, "triggered"),
            lambda: schedules.set(NAME, BESIDE, JOB),
            lambda: schedules.set(NAME, BESIDE, b"another"),
            lambda: schedules.remove(NAME),
            lambda: schedules.set(NAME, EVERY, None),
        ]
        for number, change in enumerate(changes):
            seen = await one_due(schedules)
            await change()
            assert (await one_due(schedules)).rev > seen.rev, number
            assert list(await schedules.decide([decided(seen, fires(9.0), next_at=clock())])) == [False], number
        for pause in (schedules.pause, schedules.resume):
            before = seen
            await pause(NAME)
            assert list(await schedules.decide([decided(before, fires(9.0), next_at=clock())])) == [False]
        assert 9.0 not in [each.tick for each in await schedules.history(NAME, 10)]

    async def test_one_that_waits_for_an_end_is_not_due(self, schedules: ScheduleStore, clock: StandingClock) -> None:
        await declare(schedules, AFTER_END)
        await fire(schedules, fires(clock(), "run"), next_at=None)
        clock.advance(10.0)
        look = await schedules.look([NAME], 10)
        assert (look.due, look.next_at) == ((), None)
        assert [each.id for each in look.firings] == ["run"]

    async def test_odd_names_and_ids_are_kept_as_they_are(self, schedules: ScheduleStore, clock: StandingClock) -> None:
        names = ["山羊 🐐", 'it\'s "quoted"; DROP TABLE x --', "a%sb\\c\n", "x" * 300, "A", "a", " "]
        for name in names:
            await declare(schedules, name=name)
            await fire(schedules, fires(1.0, f"{name}@1"), next_at=clock() + 5.0, name=name)
        assert [each.name for each in await schedules.list()] == sorted(names, key=str.encode)
        for name in names:
            await schedules.begun([f"{name}@1"])
            assert await states(schedules, name) == ["open"]
            await end(schedules, f"{name}@1")
            assert [each.id for each in await schedules.history(name, 10)] == [f"{name}@1"]
            assert await states(schedules, name) == ["done"]
