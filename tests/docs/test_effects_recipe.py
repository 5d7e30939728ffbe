"""What the how-to about effects says of the fence is true."""

import sqlite3  # noqa: TID251 - the user has a file of their own
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from goatherd.engine.ticket import FENCE_TABLE
from goatherd.testing import testing
from tests.docs.markdown import DOCS, Block, blocks

PAGE = DOCS / "howto" / "effects-once.md"


def block_with(text: str) -> Block:
    [found] = [block for block in blocks(PAGE) if text in block.text]
    return found


def test_the_table_is_the_one_that_is_written_to() -> None:
    assert block_with("CREATE TABLE goatherd_fence (").text == f"{FENCE_TABLE};\n"


async def test_a_fence_that_is_checked_by_hand_counts_each_job_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect("forum.db")) as database, database:
        database.execute("CREATE TABLE post (id INTEGER, comments INTEGER, token INTEGER, seq INTEGER)")
        database.execute("INSERT INTO post VALUES (7, 0, 0, 0)")
    page: dict[str, Any] = {"__name__": "page"}
    exec(compile(block_with("def count_comment(").text, str(PAGE), "exec"), page)
    app, count_comment = page["app"], page["count_comment"]
    async with testing(app) as t:
        t.crash(count_comment, at="end")
        t.lose_lease(count_comment)
        t.duplicate(count_comment)
        await app.send_many(count_comment.job(7) for _ in range(6))
        await t.drain()
        assert {job.state for job in t.jobs(count_comment)} == {"done"}
        assert not t.dead
    with closing(sqlite3.connect("forum.db")) as database:
        assert database.execute("SELECT comments FROM post").fetchone() == (6,)
