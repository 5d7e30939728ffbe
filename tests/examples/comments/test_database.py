"""Transactions of the application's own database, which is a file here or PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from examples.comments.database.changes import NoSuchPost, change
from examples.comments.database.opening import database_at
from examples.running.database.database import Database, DatabaseAway

TITLE = "SELECT title FROM post WHERE id = 1"
RENAME = "UPDATE post SET title = ? WHERE id = 1"


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = database_at(f"sqlite:///{tmp_path}/new/posts.db")
    await opened.open()
    yield opened
    await opened.close()


async def test_there_are_posts_at_first_but_only_once(database: Database, tmp_path: Path) -> None:
    again = database_at(f"sqlite:///{tmp_path}/new/posts.db")
    await again.open()
    assert await again.read("SELECT count(*) FROM post") == [(3,)]
    await again.close()


async def test_a_block_that_raises_changes_nothing(database: Database) -> None:
    with suppress(ZeroDivisionError):
        async with database.transaction() as desk:
            await desk.do(RENAME, "Never")
            raise ZeroDivisionError
    assert await database.read(TITLE) == [("The bridge",)]


async def test_others_wait_and_are_not_shut_out_by_one_who_is_cancelled(database: Database) -> None:
    inside = asyncio.Event()

    async def for_ever() -> None:
        async with database.transaction() as desk:
            await desk.do(RENAME, "Never")
            inside.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(for_ever())
    await inside.wait()
    assert await database.read(TITLE) == [("The bridge",)]
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with database.transaction() as desk:
        await desk.do(RENAME, "Now")
    assert await database.read(TITLE) == [("Now",)]


async def test_one_who_is_cancelled_while_he_waits_leaves_nothing_behind(database: Database, tmp_path: Path) -> None:
    other = database_at(f"sqlite:///{tmp_path}/new/posts.db")
    await other.open()
    wants = asyncio.Event()

    async def waits() -> None:
        wants.set()
        async with other.transaction() as desk:
            await desk.do(RENAME, "Never")

    async with database.transaction():
        task = asyncio.create_task(waits())
        await wants.wait()
        # It is in its thread by now, or will not go there any more.
        await asyncio.sleep(0)
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with database.transaction() as desk:
        await desk.do(RENAME, "Now")
    await other.close()


async def test_a_file_that_is_busy_for_too_long_is_told(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("examples.running.database.sqlite.PATIENCE", 0.01)
    async with database.transaction():
        impatient = database_at(f"sqlite:///{tmp_path}/new/posts.db")
        with pytest.raises(DatabaseAway, match="busy"):
            await impatient.open()
    await impatient.close()


async def test_versions_of_a_post_only_grow(database: Database) -> None:
    async with database.transaction() as desk:
        first = await change(desk, 1)
    async with database.transaction() as desk:
        assert await change(desk, 1) == first + 1
        with pytest.raises(NoSuchPost):
            await change(desk, 999)
