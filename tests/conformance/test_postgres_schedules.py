"""Schedules on PostgreSQL pass the suite, and what only its adapter promises."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from uuid import uuid4

import pytest

from goatherd.adapters.postgres.opening import open_schedules
from goatherd.testing.suites import SchedulesSuite
from goatherd.testing.suites.schedule_store import (
    EVERY,
    JOB,
    NAME,
    ScheduleStore,
    decided,
    declare,
    due,
    end,
    fires,
    one_due,
    state_of,
)
from tests.conformance.postgres_store import operator
from tests.conformance.test_postgres_steps import settings, until_it_waits

pytestmark = pytest.mark.servers("postgres")

TABLES = ("schedule", "schedule_firing")


class PostgresScheduleStore:
    """Each case has an app of its own."""

    @pytest.fixture
    async def store(self) -> AsyncIterator[str]:
        app = f"suite-{uuid4().hex}"
        yield app
        async with operator() as connection:
            await connection.execute("DELETE FROM goatherd.schedule WHERE app = %s", (app,))

    async def open(self, store: str, now: Callable[[], float] | None = None) -> ScheduleStore:
        return await open_schedules(settings(store), now)

    async def kept(self, store: str) -> Sequence[str]:
        found = []
        async with operator() as connection:
            for table in TABLES:
                cursor = await connection.execute(f"SELECT 1 FROM goatherd.{table} WHERE app = %s".encode(), (store,))
                found += [table] if await cursor.fetchone() else []
        return found


class TestPostgresSchedules(PostgresScheduleStore, SchedulesSuite):
    async def test_apps_have_schedules_of_their_own(self, schedules: ScheduleStore) -> None:
        another = await open_schedules(settings(f"another-{uuid4().hex}"))
        try:
            await schedules.set(NAME, EVERY, JOB)
            firing = await schedules.trigger(NAME, "by hand")
            assert firing is not None
            look = await another.look([NAME], 10)
            assert (look.due, look.firings) == ((), ())
            assert list(await another.list()) == []
            await end(another, "by hand")
            await another.begun(["by hand"])
            assert not await another.remove(NAME)
            assert await another.trigger(NAME, "by hand") is None
            assert list(await schedules.history(NAME, 10)) == [firing]
        finally:
            await another.close()


class TestOnItsOwnClock(PostgresScheduleStore):
    async def test_everything_is_told_by_the_time_of_the_server(self, store: str) -> None:
        schedules = await self.open(store)
        try:
            await declare(schedules)
            before = (await schedules.look([], 1)).now
            firing = await schedules.trigger(NAME, "by hand")
            after = (await schedules.look([], 1)).now
            assert firing is not None
            assert before <= firing.fired <= after
            assert before - 1e-6 <= firing.tick <= after
        finally:
            await schedules.close()

    async def test_several_at_once_fire_each_tick_once(self, store: str) -> None:
        clients = [await self.open(store) for _ in range(4)]
        names, ticks = ["a", "b", "c", "d"], 12
        fired: Counter[tuple[str, float]] = Counter()

        async def tick(number: int, client: ScheduleStore) -> None:
            await client.declare([], 60.0)
            while left := [each for each in await due(client, *names) if (each.last_tick or 0.0) < ticks]:
                new = [
                    decided(each, fires((each.last_tick or 0.0) + 1.0, f"{each.name}@{each.last_tick}"), next_at=0.0)
                    for each in (left if number % 2 else left[::-1])
                ]
                for decision, heard in zip(new, await client.decide(new), strict=True):
                    fired.update([(decision.name, decision.firings[0].tick)] if heard else [])
                await end(client, *(decision.firings[0].id for decision in new))

        try:
            for name in names:
                await declare(clients[0], name=name)
            async with asyncio.timeout(120):
                await asyncio.gather(*(tick(number, client) for number, client in enumerate(clients)))
            assert fired == Counter({(name, float(n + 1)): 1 for name in names for n in range(ticks)})
            assert {(await state_of(clients[0], name)).open for name in names} == {0}
        finally:
            for client in clients:
                await client.close()

    async def test_whoever_waited_for_a_decision_of_another_is_not_heard(self, store: str) -> None:
        schedules = await self.open(store)
        try:
            await declare(schedules)
            seen = await one_due(schedules)
            async with operator() as connection, connection.transaction():
                await connection.execute("UPDATE goatherd.schedule SET rev = rev + 1 WHERE app = %s", (store,))
                deciding = asyncio.create_task(schedules.decide([decided(seen, fires(1.0), next_at=1.0)]))
                await until_it_waits(store)
            assert list(await deciding) == [False]
            assert list(await schedules.history(NAME, 10)) == []
        finally:
            await schedules.close()
