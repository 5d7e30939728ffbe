"""What is asked of runs costs what it moves, also where the server believes that there is little, or much."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from goatherd.adapters.postgres import run_sql, steps_sql
from goatherd.adapters.postgres.opening import open_steps
from goatherd.adapters.postgres.steps_arrays import of_acts, of_holds, of_keys
from goatherd.model.run_record import Onward, Succeed, UnitHold, UnitKey
from scripts.servers.addresses import postgres_url
from tests.conformance.test_postgres_plans import Connection, reads
from tests.conformance.test_postgres_steps import settings

pytestmark = pytest.mark.servers("postgres")

RUNS, BATCH = 60_000, 50
TABLES = ("run", "run_unit", "run_letter", "run_peer")

#: A sixth each is ready, in workers' hands, held, done and stuck, the others wait; of what is ready a little is due.
_FILL = f"""
    INSERT INTO goatherd.run (app, id, pipeline, state, input, trace, priority, place, call, created, ended, told)
    SELECT 'plans', 'run-' || n, 'film', CASE n % 6 WHEN 3 THEN 'done' ELSE 'running' END, '1', 't', 0, n, 'x', 1,
           CASE n % 6 WHEN 3 THEN n END, n % 12 = 3
    FROM generate_series(1, {RUNS}) n;
    INSERT INTO goatherd.run_unit
        (app, run, step, item, pipeline, place, state, missing, round, token, due, tell, lease, stuck, worker)
    SELECT 'plans', 'run-' || n, 'first', -1, 'film', 1,
           (ARRAY['ready', 'running', 'held', 'done', 'failed', 'waiting'])[n % 6 + 1], n % 6 / 5, 0, n, 1,
           CASE n % 6 WHEN 0 THEN CASE WHEN n < {12 * BATCH} THEN n ELSE 4102444800000000 + n END END,
           CASE n % 6 WHEN 1 THEN 4102444800000000 + n END, CASE n % 6 WHEN 4 THEN n END, 'w'
    FROM generate_series(1, {RUNS}) n;
    INSERT INTO goatherd.run_unit (app, run, step, item, pipeline, place, state, missing, round, token, due)
    SELECT 'plans', 'run-' || n, 'second', -1, 'film', 2, 'waiting', 1, 0, n, 1 FROM generate_series(1, {RUNS}) n;
"""


@pytest.fixture
async def connection() -> AsyncIterator[Connection]:
    """In a transaction that is not committed, so that nobody else sees all this; planned as the adapter has it."""
    await (await open_steps(settings("plans"))).close()
    options = f"-c search_path=pg_catalog {steps_sql.PLANNING}"
    async with await psycopg.AsyncConnection.connect(postgres_url(), options=options) as connection:
        yield connection
        await connection.rollback()


async def test_calls_read_what_they_move(connection: Connection) -> None:
    # The server makes its plans while it believes that there is nothing, ...
    await make_calls(connection, 0, BATCH)
    await connection.execute(_FILL.encode())
    # ... which hold when there is much, ...
    await make_calls(connection, 0, BATCH)
    await connection.execute(f"ANALYZE {', '.join(f'goatherd.{table}' for table in TABLES)}".encode())
    # ... and when it knows so.
    await make_calls(connection, 12 * BATCH, BATCH)


async def make_calls(connection: Connection, first: int, count: int) -> None:
    """Make every call that is made often, for some of the runs from the first on, and look at what it has read."""

    async def read_by(statement: str, *parameters: Any) -> int:
        before = await reads(connection)
        await connection.execute(statement.encode(), parameters, prepare=True)
        scans, entries = [after - before for after, before in zip(await reads(connection), before, strict=True)]
        assert scans == 0, statement
        return entries

    keys = [UnitKey(f"run-{first + 6 * n + 1}", "first") for n in range(count)]
    holds = [UnitHold(key=key, token=first + 6 * n + 1) for n, key in enumerate(keys)]
    acts = [Succeed(hold=hold, result=b"1", onward=Onward(then=("second",))) for hold in holds]
    ready = [UnitKey(f"run-{first + 6 * n}", "first") for n in range(1, count + 1)]
    few = 12 * count
    assert await read_by(steps_sql.BEAT, "plans", None, 30_000_000, *of_holds(holds)) < few
    assert await read_by(steps_sql.TAKE, "plans", ["film", "other"], count, 5_000_000, None, 10**17) < few
    assert await read_by(steps_sql.POSTPONE, "plans", None, 0, *of_keys(ready)) < few
    asked = ("plans", uuid4().hex, 1, count, *of_acts(acts), *of_keys(ready), 30_000_000, None)
    assert await read_by(steps_sql.EXCHANGE, *asked) < 2 * few
    assert await read_by(steps_sql.OVERDUE, None, "plans", count) < few
    assert await read_by(steps_sql.REAP, None, "plans", [key.run for key in keys], count) < few
    assert await read_by(steps_sql.RESULTS, "plans", *of_keys(keys)[:2]) < few
    assert await read_by(steps_sql.ENDED, "plans", count) < few
    assert await read_by(steps_sql.FORGETTABLE, None, 0, "plans", count) < few
    old = [f"run-{first + 6 * n + 3}" for n in range(count)]
    assert await read_by(steps_sql.FORGET_UNITS, old, "plans") < few
    assert await read_by(steps_sql.FORGET_RUNS, old, "plans") < few
    cancelled = [f"run-{first + 6 * n + 5}" for n in range(count)]
    assert await read_by(run_sql.END, "plans", cancelled, "cancelled", None, None) < few
    assert await read_by(run_sql.BEGIN_AGAIN, None, f"run-{first + 4}", "plans", ["first"], [-1]) < few
    assert await read_by(run_sql.TELL_AGAIN, None, f"run-{first + 4}", "plans") < few
    assert await read_by(run_sql.ALL_STUCK, "plans", ["film"], None, None, count) < few
    assert await read_by(run_sql.FIND, "plans", None, count, ["failed", "running"]) < few
