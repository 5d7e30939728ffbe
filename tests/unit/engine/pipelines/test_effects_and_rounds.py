"""Stories: what `ctx.commit_with` takes for the same effect, and what it does not."""

import sqlite3  # noqa: TID251 - the user has a file of their own
from collections.abc import Iterator
from pathlib import Path

import pytest

from goatherd import Context, Failure, Goatherd, Retry
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


async def pay_into(database: sqlite3.Connection, ctx: Context, *amounts: int) -> None:
    with database:
        database.executemany("INSERT INTO payment VALUES (?, ?)", [(ctx.run_id, amount) for amount in amounts])
        await ctx.commit_with(database)


async def test_a_run_that_begins_again_after_it_was_forgotten_has_its_effect(
    app: Goatherd, database: sqlite3.Connection
) -> None:
    bank = app.pipeline("bank", takes=int, gives=int)

    @bank.step(after=bank.input)
    async def pay(ctx: Context, amount: int) -> int:
        await pay_into(database, ctx, amount)
        return amount

    async with testing(app) as t:
        await bank.options(id="monthly").start(5)
        await t.drain()
        await t.advance(60)
        await (await app.session().records()).steps.forget(1.0, 10)
        run = await bank.options(id="monthly").start(6)
        # Its events are those of the run before no longer.
        assert await run.status() == "queued"
        await t.drain()
        assert await run.result(timeout=5) == 6
        assert payments(database) == [("monthly", 5), ("monthly", 6)]


async def test_who_stands_in_has_an_effect_of_its_own(app: Goatherd, database: sqlite3.Connection) -> None:
    bank = app.pipeline("bank", takes=int, gives=int)

    @bank.step(after=bank.input)
    async def pay(ctx: Context, amount: int) -> int:
        await pay_into(database, ctx, amount)
        raise ValueError("the receipt is lost")

    @pay.compensate  # type: ignore[arg-type]  # a context comes first, as everywhere
    async def pay_back(ctx: Context, failure: Failure, amount: int) -> int:
        await pay_into(database, ctx, -amount)
        return 0

    async with testing(app) as t:
        run = await bank.options(id="b").start(5)
        await t.drain()
        assert await run.result(timeout=5) == 0
        assert payments(database) == [("b", -5), ("b", 5)]


async def test_a_batch_that_had_its_effect_is_not_done_again_item_by_item(
    app: Goatherd, database: sqlite3.Connection
) -> None:
    bank = app.pipeline("bank", takes=list[int], gives=list[int])

    @bank.map(over=bank.input, batch=3)
    async def pay(ctx: Context, amounts: list[int]) -> list[int]:
        await pay_into(database, ctx, *amounts)
        return amounts

    async with testing(app) as t:
        t.crash(pay, at="end")
        run = await bank.options(id="b").start([5, 6, 7])
        await t.drain()
        assert payments(database) == [("b", 5), ("b", 6), ("b", 7)]
        with pytest.raises(JobFailed, match="An earlier attempt"):
            await run.result(timeout=5)


async def test_a_batch_that_fails_after_its_effect_is_not_done_again_item_by_item(
    app: Goatherd, database: sqlite3.Connection
) -> None:
    bank = app.pipeline("bank", takes=list[int], gives=list[int])
    receipts: list[int] = []

    @bank.map(over=bank.input, batch=3, retry=Retry(1, base=1, jitter=0))
    async def pay(ctx: Context, amounts: list[int]) -> list[int]:
        try:
            await pay_into(database, ctx, *amounts)
        except Fenced as fenced:
            if not fenced.applied:
                raise
        receipts.append(len(amounts))
        if len(receipts) == 1:
            raise ValueError("the receipt is lost")
        return amounts

    async with testing(app) as t:
        run = await bank.options(id="b").start([5, 6, 7])
        await t.advance(10)
        assert await run.result(timeout=5) == [5, 6, 7]
        assert payments(database) == [("b", 5), ("b", 6), ("b", 7)]
        assert receipts == [3, 3]


async def test_a_failed_step_that_is_tried_again_does_not_have_its_effect_twice(
    app: Goatherd, database: sqlite3.Connection
) -> None:
    bank = app.pipeline("bank", takes=int, gives=int)
    broken = True

    @bank.step(after=bank.input)
    async def pay(ctx: Context, amount: int) -> int:
        try:
            await pay_into(database, ctx, amount)
        except Fenced as fenced:
            if not fenced.applied:
                raise
        if broken:
            raise ValueError("the receipt is lost")
        return amount

    async with testing(app) as t:
        run = await bank.options(id="b").start(5)
        await t.drain()
        broken = False
        await run.retry_step(pay)
        await t.drain()
        assert await run.result(timeout=5) == 5
        assert payments(database) == [("b", 5)]


async def test_an_id_that_is_too_long_for_the_table_is_told_by_its_digest(
    app: Goatherd, database: sqlite3.Connection
) -> None:
    bank = app.pipeline("bank", takes=int, gives=str)

    @bank.step(after=bank.input, name="p" * 300)
    async def pay(ctx: Context, amount: int) -> str:
        return ctx.fence.key

    async with testing(app) as t:
        one, two = [await bank.options(id="b" * 250 + end).start(5) for end in "12"]
        await t.drain()
        keys = [await one.result(timeout=5), await two.result(timeout=5)]
        assert len(set(keys)) == 2
        assert max(map(len, keys)) <= 512
