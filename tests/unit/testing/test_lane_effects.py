"""Stories: effects in a database of the user's own are made once and in order, whatever happens to workers."""

import sqlite3  # noqa: TID251 - the user has a file of their own
from collections.abc import Iterator
from pathlib import Path

import pytest

from goatherd import Context, Goatherd
from goatherd.engine.ticket import FENCE_TABLE
from goatherd.errors import Fenced, JobFailed
from goatherd.sync import Context as BlockingContext
from goatherd.testing import testing

#: For effects in another store: nobody who came later has written, and this job has not either.
CLAIM = (
    "UPDATE post SET token = :token, seq = :seq, comments = comments || :text "
    "WHERE id = :id AND token <= :token AND seq < :seq"
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(tmp_path / "forum.db", check_same_thread=False)
    connection.execute(FENCE_TABLE)
    connection.execute("CREATE TABLE comment (id INTEGER PRIMARY KEY, post INTEGER, text TEXT)")
    connection.execute("CREATE TABLE post (id INTEGER PRIMARY KEY, token INTEGER, seq INTEGER, comments TEXT)")
    connection.execute("INSERT INTO post VALUES (7, 0, 0, '')")
    connection.commit()
    yield connection
    connection.close()


@pytest.fixture
def app() -> Goatherd:
    return Goatherd("forum")


def comments(database: sqlite3.Connection) -> list[str]:
    return [text for (text,) in database.execute("SELECT text FROM comment ORDER BY id")]


@pytest.mark.parametrize("fault", ["crash", "lose_lease", "duplicate"])
async def test_effects_are_made_once_and_in_order(app: Goatherd, database: sqlite3.Connection, fault: str) -> None:
    met: list[Fenced] = []

    @app.task(key="post_id")
    async def create_comment(ctx: Context, post_id: int, text: str) -> None:
        try:
            with database:
                database.execute("INSERT INTO comment (post, text) VALUES (?, ?)", (post_id, text))
                await ctx.commit_with(database)
        except Fenced as fenced:
            met.append(fenced)
            raise

    async with testing(app) as t:
        getattr(t, fault)(create_comment, times=2)
        await app.send_many(create_comment.job(7, text) for text in "abcd")
        await t.drain()
        assert comments(database) == ["a", "b", "c", "d"]
        assert {job.state for job in t.jobs(create_comment)} == {"done"}
        # Those who are late know it: their effect was made, or somebody else has the lane.
        assert [fenced.applied for fenced in met] == [fault != "lose_lease"] * 2
        assert not t.dead


async def test_plain_functions_have_effects_too(app: Goatherd, database: sqlite3.Connection) -> None:
    @app.task(key="post_id")
    def create_comment(ctx: BlockingContext, post_id: int, text: str) -> None:
        with database:
            database.execute("INSERT INTO comment (post, text) VALUES (?, ?)", (post_id, text))
            ctx.commit_with(database)

    async with testing(app) as t:
        t.crash(create_comment, at="end")
        t.lose_lease(create_comment)
        await app.send_many(create_comment.job(7, text) for text in "abc")
        await t.drain()
        assert comments(database) == ["a", "b", "c"]
        assert {job.state for job in t.jobs(create_comment)} == {"done"}


async def test_a_retry_after_the_effect_is_taken_for_done(app: Goatherd, database: sqlite3.Connection) -> None:
    @app.task(key="post_id")
    async def create_comment(ctx: Context, post_id: int, text: str) -> None:
        with database:
            database.execute("INSERT INTO comment (post, text) VALUES (?, ?)", (post_id, text))
            await ctx.commit_with(database)
        raise ConnectionError("after the effect")

    async with testing(app) as t:
        await app.send_many(create_comment.job(7, text) for text in "ab")
        await t.advance(600)
        assert comments(database) == ["a", "b"]
        assert [(job.state, job.attempts) for job in t.jobs(create_comment)] == [("done", 2), ("done", 2)]


async def test_the_fence_can_be_checked_by_hand(app: Goatherd, database: sqlite3.Connection) -> None:
    @app.task(key="post_id")
    async def create_comment(ctx: Context, post_id: int, text: str) -> None:
        shown = {"token": ctx.fence.token, "seq": ctx.fence.seq, "id": post_id, "text": text}
        with database:
            database.execute(CLAIM, shown)

    async with testing(app) as t:
        t.crash(create_comment, at="end")
        t.lose_lease(create_comment)
        t.duplicate(create_comment)
        await app.send_many(create_comment.job(7, text) for text in "abcdef")
        await t.drain()
        [(text,)] = database.execute("SELECT comments FROM post")
        assert text == "abcdef"


async def test_without_a_fence_a_late_effect_is_seen(app: Goatherd) -> None:
    texts: list[str] = []

    @app.task(key="post_id")
    async def create_comment(post_id: int, text: str) -> None:
        texts.append(text)

    async with testing(app) as t:
        t.lose_lease(create_comment)
        await app.send_many(create_comment.job(7, text) for text in "ab")
        await t.drain()
        assert texts == ["a", "b", "a"]


@pytest.mark.parametrize("gives", [int, None])
async def test_a_result_that_died_with_its_attempt_is_not_made_up(
    app: Goatherd, database: sqlite3.Connection, gives: type[int] | None
) -> None:
    async def create_comment(ctx: Context, post_id: int, text: str) -> object:
        with database:
            database.execute("INSERT INTO comment (post, text) VALUES (?, ?)", (post_id, text))
            await ctx.commit_with(database)
        return None if gives is None else 1

    create_comment.__annotations__["return"] = gives
    task = app.task(key="post_id")(create_comment)
    async with testing(app) as t:
        t.crash(task, at="end")
        run = await task.start(7, "a")
        await t.drain()
        assert comments(database) == ["a"]
        if gives is None:
            assert (await run.status(), await run.result(timeout=1)) == ("done", None)
        else:
            with pytest.raises(JobFailed, match="ResultLost"):
                await run.result(timeout=1)
