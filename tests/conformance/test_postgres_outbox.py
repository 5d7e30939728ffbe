"""The suite of the outbox on PostgreSQL, and what only that must say."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from goatherd.adapters.postgres import outbox as adapter
from goatherd.adapters.postgres.opening import open_outbox
from goatherd.model.settings import Settings
from goatherd.model.statement import Statement
from goatherd.ports.outbox import Outbox
from goatherd.testing.suites import OutboxSuite
from goatherd.testing.suites.outbox import Carrier, job
from scripts.servers.addresses import postgres_url
from tests.conformance.postgres_store import operator

pytestmark = [pytest.mark.servers("postgres"), pytest.mark.xdist_group("postgres")]


def settings(app: str, **more: Any) -> Settings:
    return Settings(
        broker_url="sqlite:///unused.db", default_queue="suite", app=app, records_url=postgres_url(), **more
    )


class TestPostgresOutbox(OutboxSuite):
    @pytest.fixture
    async def store(self) -> AsyncIterator[str]:
        app = f"suite-{uuid4().hex}"
        yield app
        async with operator() as connection:
            await connection.execute("DELETE FROM goatherd.outbox WHERE app = %s", (app,))

    async def open(self, store: str) -> Outbox:
        return await open_outbox(settings(store))

    @asynccontextmanager
    async def transaction(self, store: str) -> AsyncIterator[Any]:
        async with await psycopg.AsyncConnection.connect(postgres_url()) as connection, connection.transaction():

            async def ask(statement: Statement) -> Any:
                cursor = await connection.execute(statement.sql.encode(), statement.parameters)
                return await cursor.fetchone()

            yield ask

    async def test_apps_that_share_a_database_do_not_see_each_other(self, store: str, outbox: Outbox) -> None:
        stranger = await self.open(f"{store}-other")
        await self.write(store, outbox, job("a"), job("b", "mail/to=1"))
        assert (await stranger.look(), await stranger.waiting()) == ((False, False), 0)
        carrier = Carrier()
        assert await stranger.relay(10, carrier) + await stranger.relay_lanes(10, carrier) == 0
        await stranger.close()

    async def test_a_look_costs_no_more_when_much_waits(self, store: str, outbox: Outbox) -> None:
        async with operator() as connection:
            fill = """
                INSERT INTO goatherd.outbox (app, shard, due, content)
                SELECT %s, CASE WHEN n %% 2 = 0 THEN n %% 16 END, 9e15::bigint, '' FROM generate_series(1, 20000) n
            """
            await connection.execute(fill, (store,))
            await connection.execute("ANALYZE goatherd.outbox")
            for asked, index in (
                ("shard IS NULL AND due <= (SELECT goatherd.clock(NULL)) ORDER BY due, place LIMIT 9", "outbox_loose"),
                ("shard = 3 ORDER BY place LIMIT 9", "outbox_lanes"),
            ):
                plan = await (
                    await connection.execute(
                        f"EXPLAIN SELECT place FROM goatherd.outbox WHERE app = %s AND {asked}".encode(), (store,)
                    )
                ).fetchall()
                assert any(index in line for [line] in plan), plan


#: What the adapter asks for, without what makes it right, and the case that must notice.
PLANTED = [
    (
        "_SHARD",
        "SELECT shard FROM goatherd.outbox WHERE app = %s AND shard IS NOT NULL AND %s + %s + %s IS NOT NULL LIMIT 1",
        "test_a_lane_is_with_one_relay_at_a_time",
    ),
    ("_LOOSE", adapter._LOOSE.replace("FOR UPDATE SKIP LOCKED", ""), "test_two_relays_do_not_get_the_same"),
    ("_OF_SHARD", adapter._OF_SHARD.replace("ORDER BY place", "ORDER BY place DESC"),
     "test_transactions_one_after_the_other_leave_in_order"),
    ("_POSTPONE", "UPDATE goatherd.outbox SET tries = tries + 1 WHERE place = ANY (%s)",
     "test_what_was_refused_is_tried_again_later_and_is_in_nobodys_way"),
]  # fmt: skip


@pytest.mark.parametrize(("constant", "planted", "case"), PLANTED, ids=[each[0] for each in PLANTED])
async def test_a_planted_fault_is_found(
    constant: str, planted: str, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = f"suite-{uuid4().hex}"
    suite = TestPostgresOutbox()
    outbox, other = await suite.open(app), await suite.open(app)
    told: Any = getattr(suite, case)
    wants_two = "other" in told.__code__.co_varnames[: told.__code__.co_argcount]
    monkeypatch.setattr(adapter, constant, planted)
    try:
        with pytest.raises(AssertionError):
            await told(app, outbox, other) if wants_two else await told(app, outbox)
    finally:
        async with operator() as connection:
            await connection.execute("DELETE FROM goatherd.outbox WHERE app = %s", (app,))
        await outbox.close()
        await other.close()
