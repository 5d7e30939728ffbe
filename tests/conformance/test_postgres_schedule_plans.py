"""What is asked of schedules costs what it moves, also where the server believes that there is little, or much."""

from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest

from goatherd.adapters.postgres import schedules_sql as sql
from goatherd.adapters.postgres.opening import open_schedules
from goatherd.adapters.schedule_rows import packed_rule
from goatherd.testing.suites.schedule_store import EVERY, OTHER
from scripts.servers.addresses import postgres_url
from tests.conformance.test_postgres_plans import Connection, reads
from tests.conformance.test_postgres_steps import settings

pytestmark = pytest.mark.servers("postgres")

SCHEDULES, FIRINGS, NAMED = 4_000, 20_000, 20
TABLES = ("schedule", "schedule_version", "schedule_firing")
FAR = 4102444800.0

#: Twenty of programs, of which one has most of all firings; the others were set, and a few of those are due.
_FILL = f"""
    DELETE FROM goatherd.schedule WHERE app = 'plans';
    INSERT INTO goatherd.schedule (app, name, rule, coded, chosen, job, rev, until, next_at, newest, newest_end)
    SELECT 'plans', 'schedule-' || n, '{packed_rule(EVERY)}', CASE WHEN n <= {NAMED} THEN '{packed_rule(EVERY)}' END,
           CASE WHEN n > {NAMED} THEN '{packed_rule(EVERY)}' END, CASE WHEN n > {NAMED} THEN 'job'::bytea END, n,
           CASE WHEN n <= {NAMED} THEN {FAR} END, CASE WHEN n <= {NAMED + 10} THEN 1 ELSE {FAR} + n END, 0, 0
    FROM generate_series(1, {SCHEDULES}) n;
    INSERT INTO goatherd.schedule_version
    SELECT s.id, s.coded, 1, {FAR} FROM goatherd.schedule s WHERE s.app = 'plans' AND s.coded IS NOT NULL;
    INSERT INTO goatherd.schedule_firing (app, schedule, tick, id, state, triggered, missed, fired, begun, ended)
    SELECT 'plans', s.id, n, 'run-' || n, CASE WHEN n <= 10 THEN 'due' WHEN n <= 20 THEN 'open' ELSE 'done' END, false,
           0, n, n, CASE WHEN n > 20 THEN {FAR} + n END
    FROM generate_series(1, {FIRINGS}) n, goatherd.schedule s WHERE s.app = 'plans' AND s.name = 'schedule-1';
    UPDATE goatherd.schedule SET open = 20 WHERE app = 'plans' AND name = 'schedule-1';
"""


@pytest.fixture
async def connection() -> AsyncIterator[Connection]:
    """In a transaction that is not committed, so that nobody else sees all this; planned as the adapter has it."""
    await (await open_schedules(settings("plans"))).close()
    options = f"-c search_path=pg_catalog {sql.PLANNING}"
    async with await psycopg.AsyncConnection.connect(postgres_url(), options=options) as connection:
        yield connection
        await connection.rollback()


async def test_calls_read_what_they_move(connection: Connection) -> None:
    # The server makes its plans while it believes that there is nothing, ...
    await make_calls(connection, 0)
    await connection.execute(_FILL.encode())
    # ... which hold when there is much, ...
    await make_calls(connection, 1)
    await connection.execute(f"ANALYZE {', '.join(f'goatherd.{table}' for table in TABLES)}".encode())
    # ... and when it knows so.
    await make_calls(connection, 2)


async def make_calls(connection: Connection, turn: int) -> None:
    """Make every call that is made often, and look at what it has read."""

    async def read_by(statement: str, *parameters: Any) -> int:
        before = await reads(connection)
        await connection.execute(statement.encode(), parameters, prepare=True)
        scans, entries = [after - before for after, before in zip(await reads(connection), before, strict=True)]
        assert scans == 0, statement
        return entries

    names = [f"schedule-{n + 1}" for n in range(NAMED)]
    few = 12 * NAMED
    assert await read_by(sql.MOMENT, "plans", names, None) < few
    assert await read_by(sql.LOOK, "plans", names, 100.0, 100) < few
    assert await read_by(sql.FIRINGS, "plans", names, 100) < few
    assert await read_by(sql.DECLARE, "plans", names[1:], [packed_rule(EVERY)] * (NAMED - 1), 60.0, None) < 2 * few
    decided = [f"schedule-{n + 2 + turn}" for n in range(NAMED)]
    revs = [n + 2 + turn for n in range(NAMED)]
    new = (list(range(1, NAMED + 1)), [1.0] * NAMED, [f"new-{turn}-{n}" for n in range(NAMED)], ["due"] * NAMED)
    asked = ("plans", decided, revs, [FAR] * NAMED, *new, [0] * NAMED, None)
    assert await read_by(sql.DECIDE, *asked) < 2 * few
    runs = [f"run-{turn * 3 + n + 1}" for n in range(3)]
    assert await read_by(sql.BEGIN, "plans", runs, False, None) < few
    assert await read_by(sql.END, "plans", runs, ["done"] * 3, None) < few
    assert await read_by(sql.TRIGGER, "plans", "schedule-1", f"by hand {turn}", None) < few
    assert await read_by(sql.HISTORY, 20, "schedule-1", "plans") < few
    assert await read_by(sql.FORGET, "plans", -2 * FAR, 50, None) < 2 * few
    assert await read_by(sql.SET, "plans", "schedule-30", packed_rule(OTHER), b"job", None) < few
    assert await read_by(sql.PAUSE, None, "schedule-31", "plans") < few
    assert await read_by(sql.RESUME, None, "schedule-31", "plans") < few
    assert await read_by(sql.REMOVE, "plans", "schedule-30", None) < few
