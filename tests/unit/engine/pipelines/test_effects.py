"""Stories: a step has its effect in a database of the user's own once, whatever happens to workers."""

import sqlite3  # noqa: TID251 - the user has a file of their own
from collections.abc import Iterator
from pathlib import Path

import pytest

from goatherd import Context, Goatherd
from goatherd.engine.ticket import FENCE_TABLE
from goatherd.errors import Fenced, JobFailed
from goatherd.testing import testing


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(tmp_path / "bank.db", check_same_thread=False)
    connection.execute(FENCE_TABLE)
    connection.execute("CREATE TABLE payment (run TEXT, amount INTEGER)")
    connection.commit()
    yield connection
    connection.close()


def payments(database: sqlite3.Connection) -> list[tuple[str, int]]:
    return sorted(database.execute("SELECT run, amount FROM payment"))


async def test_a_late_worker_has_no_effect(app: Goatherd, database: sqlite3.Connection) -> None:
    met: list[Fenced] = []
    bank = app.pipeline("bank", takes=list[int], gives=list[int])

    @bank.map(over=bank.input)
    async def pay(ctx: Context, amount: int) -> int:
        try:
            with database:
                database.execute("INSERT INTO payment VALUES (?, ?)", (ctx.run_id, amount))
                await ctx.commit_with(database)
        except Fenced as fenced:
            met.append(fenced)
            raise
        return amount

    async with testing(app) as t:
        t.lose_lease(pay, times=2)
        run = await bank.options(id="b").start([5, 6, 7])
        await t.drain()
        assert await run.result(timeout=10) == [5, 6, 7]
        assert payments(database) == [("b", 5), ("b", 6), ("b", 7)]
        assert [fenced.applied for fenced in met] == [False, False]


async def test_an_effect_whose_step_did_not_come_to_its_end_is_not_made_twice(
    app: Goatherd, database: sqlite3.Connection
) -> None:
    bank = app.pipeline("bank", takes=int, gives=int)

    @bank.step(after=bank.input)
    async def pay(ctx: Context, amount: int) -> int:
        try:
            with database:
                database.execute("INSERT INTO payment VALUES (?, ?)", (ctx.run_id, amount))
                await ctx.commit_with(database)
        except Fenced as fenced:
            if not fenced.applied:
                raise
        # What the effect was can be read back.
        [(paid,)] = database.execute("SELECT amount FROM payment WHERE run = ?", (ctx.run_id,))
        return int(paid)

    async with testing(app) as t:
        t.crash(pay, at="end")
        run = await bank.options(id="b").start(5)
        await t.drain()
        assert await run.result(timeout=10) == 5
        assert payments(database) == [("b", 5)]


@pytest.mark.parametrize("gives", [int, None])
async def test_a_result_that_died_with_its_attempt_is_not_made_up(
    app: Goatherd, database: sqlite3.Connection, gives: type[int] | None
) -> None:
    bank = app.pipeline("bank", takes=int, gives=gives)  # type: ignore[arg-type]  # also nothing

    async def pay(ctx: Context, amount: int) -> object:
        with database:
            database.execute("INSERT INTO payment VALUES (?, ?)", (ctx.run_id, amount))
            await ctx.commit_with(database)
        return amount if gives is int else None

    pay.__annotations__["return"] = gives
    step = bank.step(after=bank.input)(pay)
    async with testing(app) as t:
        t.crash(step, at="end")
        run = await bank.options(id="b").start(5)
        await t.drain()
        assert payments(database) == [("b", 5)]
        if gives is None:
            assert await run.status() == "done"
        else:
            with pytest.raises(JobFailed, match="step pay: An earlier attempt"):
                await run.result(timeout=10)


async def test_a_step_that_is_done_again_from_the_beginning_has_its_effect_again(
    app: Goatherd, database: sqlite3.Connection
) -> None:
    bank = app.pipeline("bank", takes=int, gives=int)

    @bank.step(after=bank.input)
    async def pay(ctx: Context, amount: int) -> int:
        with database:
            database.execute("INSERT INTO payment VALUES (?, ?)", (ctx.run_id, amount))
            await ctx.commit_with(database)
        return amount

    async with testing(app) as t:
        run = await bank.options(id="b").start(5)
        await t.drain()
        await run.resume_from(pay)
        t.lose_lease(pay)
        await t.drain()
        assert await run.result(timeout=10) == 5
        # Once in each round, whoever comes late.
        assert payments(database) == [("b", 5), ("b", 5)]
