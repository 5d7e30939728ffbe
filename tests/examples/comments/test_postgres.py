"""Posts in PostgreSQL: what is different there from a file."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from examples.comments.api.views import one_post
from examples.comments.database.changes import change
from examples.comments.database.opening import database_at
from examples.comments.worker.writing import Submitted, begin, close, edit, like, write
from examples.running.database.database import Database, DatabaseAway
from tests.acceptance.comments.own_database import own_database

pytestmark = [pytest.mark.servers("postgres"), pytest.mark.xdist_group("comments servers")]

ONE = Submitted(id="job-1", post_id=1, number=1, author="Ada", text="100 %? Yes!")


@pytest.fixture
async def database() -> AsyncIterator[Database]:
    with own_database() as url:
        opened = database_at(url)
        await opened.open()
        yield opened
        await opened.close()


async def test_everything_that_is_written_there_is_shown(database: Database) -> None:
    async with database.transaction() as desk:
        assert await begin(desk, ONE, "1") == 1
    async with database.transaction() as desk:
        assert await write(desk, ONE) == 1
        assert await edit(desk, 1, "job-1", "100 %!")
        await like(desk, 1, "Ada", True)
        await close(desk, 1, True)
    post = await one_post(database, 1, 10)
    assert (post.likes, post.closed, post.written, post.waiting) == (1, True, 1, 0)
    assert [(one.text, one.state, one.place, one.edits) for one in post.entries] == [("100 %!", "done", 1, 1)]


async def test_a_program_that_starts_does_not_wait_for_those_who_write() -> None:
    with own_database() as url:
        first, second = database_at(url), database_at(url)
        # Both at the same time: one makes the tables, and the other finds them.
        await asyncio.gather(first.open(), second.open())
        third = database_at(url)
        async with first.transaction() as desk:
            await begin(desk, ONE, "1")
            await write(desk, ONE)
            await asyncio.wait_for(third.open(), 5)
        assert (await one_post(third, 1, 10)).written == 1
        for one in (first, second, third):
            await one.close()


async def test_changes_of_one_post_follow_each_other_and_no_others(database: Database) -> None:
    async with database.transaction() as one:
        first = await change(one, 1)
        async with database.transaction() as other:
            await change(other, 2)
        later = asyncio.create_task(_change(database))
        await asyncio.sleep(0)
        assert not later.done()
    assert await later == first + 1


async def _change(database: Database) -> int:
    async with database.transaction() as desk:
        return await change(desk, 1)


async def test_a_database_that_is_away_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("examples.running.database.postgres.PATIENCE", 1.0)
    away = database_at("postgresql://nobody:nothing@127.0.0.1:1/none")
    with pytest.raises(DatabaseAway, match="away"):
        await away.open()
    await away.close()
