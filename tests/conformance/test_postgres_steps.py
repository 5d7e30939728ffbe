"""The records of pipelines on PostgreSQL pass the suite, and what only its adapter promises."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from goatherd.adapters.postgres.address import read_address
from goatherd.adapters.postgres.opening import open_steps
from goatherd.adapters.postgres.schema import PostgresMigrations
from goatherd.adapters.postgres.steps import PostgresSteps
from goatherd.errors import SettingsError
from goatherd.model.run_record import NewRun, UnitClaim, UnitKey
from goatherd.model.settings import Settings
from goatherd.testing.suites import StepsSuite
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.step_people import LINE, ONE, RUN, Plan, Worker, given, key, parcels
from goatherd.testing.suites.step_store import StepStore
from scripts.servers.addresses import postgres_url
from tests.conformance.postgres_store import asked, operator

pytestmark = pytest.mark.servers("postgres")

TABLES = ("run", "run_unit", "run_letter", "run_peer")


def settings(app: str, url: str | None = None, **more: Any) -> Settings:
    """An app whose records are in the database."""
    return Settings(broker_url="sqlite:///unused.db", default_queue="suite", app=app,
                    records_url=url or postgres_url(), **more)  # fmt: skip


class PostgresStepStore:
    """Each case has an app of its own."""

    @pytest.fixture
    async def store(self) -> AsyncIterator[str]:
        app = f"suite-{uuid4().hex}"
        yield app
        async with operator() as connection:
            for table in TABLES:
                await connection.execute(f"DELETE FROM goatherd.{table} WHERE app = %s".encode(), (app,))

    async def open(self, store: str, now: Callable[[], float] | None = None) -> StepStore:
        return await open_steps(settings(store), now)

    async def kept(self, store: str) -> Sequence[str]:
        found = []
        async with operator() as connection:
            for table in TABLES[:3]:
                cursor = await connection.execute(f"SELECT 1 FROM goatherd.{table} WHERE app = %s".encode(), (store,))
                found += [table] if await cursor.fetchone() else []
        return found


@pytest.fixture
async def empty() -> AsyncIterator[str]:
    """The address of an empty database of one's own."""
    name = f"steps_{uuid4().hex}"
    async with operator() as connection:
        await connection.execute(f"CREATE DATABASE {name}".encode())
        yield postgres_url().rpartition("/")[0] + f"/{name}"
        await connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


class TestPostgresSteps(PostgresStepStore, StepsSuite):
    async def test_the_very_same_said_twice_in_one_call_is_done_once(self, steps: StepStore) -> None:
        run = LINE.run()
        assert list(await steps.begin([run, run])) == [True, False]
        worker = Worker(steps, LINE)
        spread = worker.spreading("first", parcels(2))
        assert list((await worker.exchange(decided=[spread, spread])).decided) == [True, False]
        once, twice = await worker.claim(key("first", 0), key("first", 0))
        assert twice == "taken"
        success = worker.success(given([once])[0])
        assert list((await worker.exchange(success, success)).settled) == [True, True]

    async def test_last_exchanges_of_workers_are_forgotten_in_time(
        self, store: str, steps: StepStore, clock: StandingClock
    ) -> None:
        for _ in range(3):
            await Worker(steps).exchange()
        clock.advance(4000.0)
        worker = Worker(steps)
        for _ in range(64):
            await worker.exchange()
        assert await asked("SELECT worker FROM goatherd.run_peer WHERE app = %s", store) == [(worker.name,)]


class TestInTransactionsOfUsers(PostgresStepStore):
    async def test_a_run_begins_if_and_only_if_the_transaction_is_committed(self, store: str) -> None:
        steps = await open_steps(settings(store))
        try:
            async with await psycopg.AsyncConnection.connect(postgres_url()) as connection:
                assert await began(connection, steps, LINE.run()) is True
                assert list(await steps.take(["film"], 10, 5.0)) == []
                await connection.rollback()
                assert await steps.look(RUN) is None
                assert await began(connection, steps, LINE.run()) is True
                assert await began(connection, steps, LINE.run()) is False
                await connection.commit()
            assert await LINE.taken(steps) == ["first"]
            await Worker(steps, LINE).do("first")
            assert await LINE.taken(steps) == ["second"]
        finally:
            await steps.close()

    async def test_nothing_begins_in_a_database_that_is_another(self, store: str, empty: str) -> None:
        steps, elsewhere = await open_steps(settings(store)), await open_steps(settings(store, empty))
        try:
            async with await psycopg.AsyncConnection.connect(empty) as connection:
                assert await began(connection, steps, ONE.run()) is None
                await connection.commit()
            assert await elsewhere.look(RUN) is None
        finally:
            await steps.close()
            await elsewhere.close()


async def began(connection: "psycopg.AsyncConnection[Any]", steps: PostgresSteps, run: NewRun) -> bool | None:
    """As a user's program does it."""
    statement = steps.begin_statement(run)
    assert statement is not None
    cursor = await connection.execute(statement.sql.encode(), statement.parameters)
    [[new]] = await cursor.fetchall()
    assert new is None or isinstance(new, bool)
    return new


class TestOnItsOwnClock(PostgresStepStore):
    async def test_several_at_once_do_everything_once(self, store: str) -> None:
        plan = Plan(each=(), join=["each"])
        clients = [await open_steps(settings(store)) for _ in range(3)]
        runs, items = [f"run-{number}" for number in range(4)], 40
        done: Counter[UnitKey] = Counter()
        busy: Counter[str] = Counter()
        told: set[UnitKey] = set()

        async def work(steps: PostgresSteps) -> None:
            worker, claims = Worker(steps, plan), list[UnitClaim]()
            while done.total() < len(runs) * (items + 1) or claims:
                told.update(turn.key for turn in await steps.take(["film"], 20, 0.5))
                # What one is told of, all try to have; also again.
                wanted = sorted(told - done.keys())[-12:]
                settled = [worker.success(claim, b"%d" % claim.key.item) for claim in claims]
                busy.subtract(claim.key.run for claim in claims)
                exchanged = await worker.exchange(*settled, wanted=wanted)
                assert all(exchanged.settled)
                claims = [claim for claim in exchanged.claims if isinstance(claim, UnitClaim)]
                done.update(claim.key for claim in claims)
                busy.update(claim.key.run for claim in claims)
                assert max(busy.values(), default=0) <= 5
                await asyncio.sleep(0)

        try:
            await plan.begin(clients[0], *runs)
            conductor = Worker(clients[0], plan)
            for run in runs:
                await conductor.spread("each", parcels(items), 5, run)
            async with asyncio.timeout(60):
                await asyncio.gather(*map(work, clients * 2))
            assert set(done.values()) == {1}
            assert sorted((each.id, each.state) for each in await clients[0].ended(10)) == [(r, "done") for r in runs]
        finally:
            for client in clients:
                await client.close()


class TestBesideOthers(PostgresStepStore):
    """Rows are changed where they were found, also when somebody changed them in between."""

    @pytest.fixture
    async def steps(self, store: str) -> AsyncIterator[PostgresSteps]:
        steps = await open_steps(settings(store))
        yield steps
        await steps.close()

    async def test_a_run_ends_while_somebody_is_told_of_it(self, store: str, steps: PostgresSteps) -> None:
        await ONE.begin(steps)
        async with touched(store, "tellings = tellings + 1"):
            cancelling = asyncio.create_task(steps.cancel(RUN))
            await until_it_waits(store)
        assert await cancelling
        assert await ONE.taken(steps) == []
        assert await steps.retry(RUN) == 0
        assert await ONE.taken(steps) == ["work"]

    async def test_a_unit_is_settled_while_its_lease_is_prolonged(self, store: str, steps: PostgresSteps) -> None:
        await ONE.begin(steps)
        worker = Worker(steps)
        claim = await worker.one()
        async with touched(store, "lease = lease + 1"):
            settling = asyncio.create_task(worker.settle(worker.success(claim, b"1")))
            await until_it_waits(store)
        assert await settling
        assert list(await steps.results([(RUN, "work")])) == [b"1"]
        assert [each.state for each in await steps.ended(10)] == ["done"]

    async def test_a_unit_is_claimed_although_somebody_is_told_of_it(self, store: str, steps: PostgresSteps) -> None:
        await ONE.begin(steps)
        worker = Worker(steps)
        async with touched(store, "tellings = tellings + 1"):
            # It waits, but not for long.
            assert list(await worker.claim(key("work"))) == ["early"]
            claiming = asyncio.create_task(worker.claim(key("work")))
            await until_it_waits(store)
        assert given(await claiming)

    async def test_whoever_waited_for_the_end_of_a_run_gets_nothing_of_it(
        self, store: str, steps: PostgresSteps
    ) -> None:
        await ONE.begin(steps)
        async with touched(store, "tell = NULL", "cancelled"):
            claiming = asyncio.create_task(Worker(steps).claim(key("work")))
            await until_it_waits(store)
        assert list(await claiming) == ["over"]


@asynccontextmanager
async def touched(app: str, change: str, state: str = "running") -> AsyncIterator[None]:
    """Somebody has changed the app's units, and its runs are so, but it is not yet committed."""
    async with operator() as connection, connection.transaction():
        await connection.execute(f"UPDATE goatherd.run_unit SET {change} WHERE app = %s".encode(), (app,))
        if state != "running":
            await connection.execute("UPDATE goatherd.run SET state = %s, ended = 1 WHERE app = %s", (state, app))
        yield


async def until_it_waits(app: str) -> None:
    """Until a connection of the app waits for somebody."""
    sql = "SELECT 1 FROM pg_stat_activity WHERE application_name = %s AND wait_event_type = 'Lock'"
    async with asyncio.timeout(20):
        while not await asked(sql, f"goatherd {app}"):
            await asyncio.sleep(0.005)


@pytest.mark.parametrize("declare", ["check", "never"])
async def test_one_who_must_not_make_the_schema_is_told_what_to_do(empty: str, declare: str) -> None:
    with pytest.raises(SettingsError, match="goatherd migrate MODULE:APP"):
        await open_steps(settings("shop", empty, declare=declare))
    await PostgresMigrations(read_address(empty, "records")).apply()
    steps = await open_steps(settings("shop", empty, declare=declare))
    try:
        await ONE.begin(steps)
        await Worker(steps).do("work")
    finally:
        await steps.close()
