"""What an open page is told: everything at first, then what has changed, and nothing twice without need."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from examples.comments.api import live
from examples.comments.api.live import Live
from examples.comments.database.changes import change
from examples.comments.database.opening import database_at
from examples.comments.worker.writing import Submitted, begin, write
from examples.running.database.database import Database, DatabaseAway


@pytest.fixture
async def posts(tmp_path: Path) -> AsyncIterator[Database]:
    opened = database_at(f"sqlite:///{tmp_path}/posts.db")
    await opened.open()
    yield opened
    await opened.close()


async def next_post(stream: AsyncIterator[bytes]) -> dict[str, Any]:
    async with asyncio.timeout(20):
        async for frame in stream:
            if frame.startswith(b"event: post\ndata: "):
                told: dict[str, Any] = json.loads(frame.partition(b"data: ")[2])
                return told
    raise AssertionError("the stream ended")


async def write_one(posts: Database, number: int) -> None:
    one = Submitted(id=f"job-{number}", post_id=2, number=number, author="Ada", text="Hello!")
    async with posts.transaction() as desk:
        await begin(desk, one, "1")
    async with posts.transaction() as desk:
        await write(desk, one)


async def test_a_page_gets_all_posts_and_then_what_is_new(posts: Database) -> None:
    await write_one(posts, 1)
    news = Live(posts)
    async with news.looking():
        stream = news.stream()
        first = [await next_post(stream) for _ in range(3)]
        assert [(post["id"], len(post["entries"])) for post in first] == [(1, 0), (2, 1), (3, 0)]
        waiting = asyncio.create_task(next_post(stream))
        await write_one(posts, 2)
        told = await waiting
        while not any(one["state"] == "done" for one in told["entries"]):
            told = await next_post(stream)
        # The first one has not changed.
        assert [one["number"] for one in told["entries"]] == [2]


async def test_streams_end_with_the_program(posts: Database) -> None:
    news = Live(posts)
    stream = news.stream()
    for _ in range(3):
        await next_post(stream)
    ending = asyncio.create_task(anext(stream, b"the end"))
    await asyncio.sleep(0)
    await news.end()
    assert await asyncio.wait_for(ending, 20) == b"the end"


async def test_a_page_is_told_that_the_stream_is_alive(posts: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "KEEPALIVE", 0.01)
    stream = Live(posts).stream()
    for _ in range(3):
        await next_post(stream)
    assert await asyncio.wait_for(anext(stream), 20) == b": still there\n\n"


async def test_a_database_that_is_away_ends_the_stream(posts: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(*_: object) -> None:
        raise DatabaseAway("gone")

    monkeypatch.setattr(live, "changed_posts", away)
    frames = [frame async for frame in Live(posts).stream()]
    assert frames == [b"retry: 1000\n\n"]


async def test_more_changes_than_a_page_gets_at_first_all_come(
    posts: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "MOST", 1)
    news = Live(posts)
    async with news.looking():
        stream = news.stream()
        for _ in range(3):
            await next_post(stream)
        async with posts.transaction() as desk:
            version = await change(desk, 2)
            for number in (1, 2, 3):
                await desk.do(
                    "INSERT INTO submission (id, post_id, number, author, text, state, version) "
                    "VALUES (?, 2, ?, 'Ada', 'Hello!', 'waiting', ?)",
                    f"job-{number}", number, version,
                )  # fmt: skip
        assert [one["number"] for one in (await next_post(stream))["entries"]] == [1, 2, 3]
