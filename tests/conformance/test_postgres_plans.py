"""What calls cost follows what they move, also where the server believes that there is little, or much."""

from collections.abc import AsyncIterator
from typing import Any, TypeAlias
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg
import pytest

from goatherd.adapters.postgres.lane_operations import OVERDUE, WAITING
from goatherd.adapters.postgres.opening import open_lanes
from goatherd.model.lane import Hold
from goatherd.testing.suites.lane_people import item
from scripts.servers.addresses import postgres_url
from tests.conformance.postgres_store import operator, settings

pytestmark = pytest.mark.servers("postgres")

Connection: TypeAlias = "psycopg.AsyncConnection[tuple[Any, ...]]"

LANES, BATCH = 100_000, 50
TABLES = ("lane_head", "lane_tail", "lane_item", "lane_later", "lane_letter", "lane_peer", "lane_name")

#: Half of the lanes are ready, the rest is in workers' hands.
_FILL = f"""
    INSERT INTO goatherd.lane_tail SELECT 'plans', 'mail/to=' || n, n, 1 FROM generate_series(1, {LANES}) n;
    INSERT INTO goatherd.lane_item
    SELECT 'plans', 'mail/to=' || n, n, 'job-' || n, 'mail', 'x', 'hold', n, NULL FROM generate_series(1, {LANES}) n;
    INSERT INTO goatherd.lane_head (app, lane, queue, seq, condition, turn, due, since, token)
    SELECT 'plans', 'mail/to=' || n, 'mail', n, CASE n % 2 WHEN 0 THEN 'ready' ELSE 'running' END, n,
           CASE n % 2 WHEN 1 THEN 4102444800000000 + n END, 0, n
    FROM generate_series(1, {LANES}) n;
    INSERT INTO goatherd.lane_later (app, due, accepted, lane, id, queue, content, on_exhausted)
    SELECT 'plans', 4102444800000000 + n, 0, 'mail/to=' || n, 'later-' || n, 'mail', 'x', 'hold'
    FROM generate_series(1, {LANES // 10}) n;
"""


@pytest.fixture
async def database() -> AsyncIterator[str]:
    """One of its own: what the server believes must not depend on what other tests have put there."""
    name = f"plans_{uuid4().hex}"
    async with operator() as connection:
        await connection.execute(f"CREATE DATABASE {name}".encode())
    yield urlunsplit(urlsplit(postgres_url())._replace(path=f"/{name}"))
    async with operator() as connection:
        await connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture
async def connection(database: str) -> AsyncIterator[Connection]:
    """In a transaction that is not committed, so that nobody else sees all this."""
    await (await open_lanes(settings("plans", database))).close()
    async with await psycopg.AsyncConnection.connect(database) as connection:
        await connection.execute("SET LOCAL search_path = pg_catalog")
        yield connection
        await connection.rollback()


async def reads(connection: Connection) -> tuple[int, int]:
    """Tables that were read as a whole in this transaction, and entries of indexes that were."""
    cursor = await connection.execute(
        "SELECT coalesce(sum(pg_stat_get_xact_numscans(c.oid)) FILTER (WHERE c.relkind = 'r'), 0)::bigint,"
        " coalesce(sum(pg_stat_get_xact_tuples_returned(c.oid)) FILTER (WHERE c.relkind = 'i'), 0)::bigint"
        " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'goatherd'"
    )
    found = await cursor.fetchone()
    assert found is not None
    return found[0], found[1]


async def test_calls_read_what_they_move(connection: Connection, database: str) -> None:
    await connection.execute(_FILL.encode())
    # The server believes what it knew before, ...
    await make_calls(connection, database, 1)
    await connection.execute(f"ANALYZE {', '.join(f'goatherd.{table}' for table in TABLES)}".encode())
    # ... and then what it sees.
    await make_calls(connection, database, LANES // 2 + 1)


async def make_calls(connection: Connection, database: str, first: int) -> None:
    """Make every call that moves or counts jobs, for lanes from the first on, and look at what it has read."""
    before = await reads(connection)
    numbers = range(first, first + 2 * BATCH, 2)
    arrays = [f"mail/to={number}" for number in numbers], [*numbers], [*numbers]
    lanes = await open_lanes(settings("plans", database))
    try:
        commit = lanes.commit_statement(Hold(lane=arrays[0][-1], token=numbers[-1], seq=numbers[-1]))
        enqueue = lanes.enqueue_statement([item(f"{n}", f"mail/to={first + LANES - BATCH + n}") for n in range(BATCH)])
        for statement in (commit, enqueue):
            await connection.execute(statement.sql.encode(), statement.parameters)
    finally:
        await lanes.close()
    beat = "SELECT goatherd.lane_beat('plans', %s::text[], %s::bigint[], %s::bigint[], 30000000, NULL)"
    await connection.execute(beat, arrays)
    for settled in ((None,) * 4, (["commit"] * BATCH, *arrays), (None,) * 4):
        cursor = await connection.execute(
            "SELECT count(*) FROM goatherd.lane_exchange('plans', gen_random_uuid()::text, 1, %s::text[], %s::text[],"
            " %s::bigint[], %s::bigint[], NULL, NULL, NULL, NULL, ARRAY['fax', 'mail'], %s, 30000000, NULL)",
            (*settled, BATCH),
        )
        assert await cursor.fetchone() == (BATCH + 1,)
    cursor = await connection.execute(WAITING, (None, ["fax", "mail"], "plans", BATCH, "plans"))
    assert [row[:2] for row in await cursor.fetchall()] == [("fax", 0), ("mail", BATCH)]
    await connection.execute(OVERDUE, ("plans", 1, BATCH) * 2)
    scans, entries = [after - before for after, before in zip(await reads(connection), before, strict=True)]
    assert scans == 0
    # Eight calls for fifty each, with a few entries for each.
    assert entries < 8 * BATCH * 10
