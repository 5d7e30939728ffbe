"""Stories: effects in transactions of users, through the libraries that they have."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from goatherd import Goatherd
from goatherd.engine.ticket import FENCE_TABLE
from scripts.servers.addresses import postgres_url
from tests.interop.user_connections import MAKERS

pytestmark = [pytest.mark.servers("postgres"), pytest.mark.xdist_group("postgres")]

TEXTS = ["one", "two", "three", "four"]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with psycopg.connect(postgres_url(), autocommit=True) as connection:
        connection.execute("CREATE TABLE interop_comments (id serial, author text, post_id int, text text)")
        connection.execute(FENCE_TABLE)
        yield postgres_url()
        connection.execute("DROP TABLE interop_comments, goatherd_fence")


def written(url: str, author: str) -> list[str]:
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT text FROM interop_comments WHERE author = %s ORDER BY id", (author,))
        return [text for (text,) in rows]


@pytest.mark.parametrize("lanes", ["postgres", "sqlite"])
@pytest.mark.parametrize("make", MAKERS)
async def test_an_effect_that_was_rolled_back_is_made_again_and_each_is_there_once(
    make: Any, lanes: str, url: str, tmp_path: Path
) -> None:
    lanes_url = url if lanes == "postgres" else None
    app = Goatherd(f"interop-{uuid4()}", broker_url=f"sqlite:///{tmp_path}/jobs.db", lanes_url=lanes_url)
    comment = make(app, url, lambda text, attempt: text == "two" and attempt == 1)
    async with app.serve("worker"):
        await app.send_many(comment.job(7, text) for text in TEXTS)
        # A lane is in order, so whoever comes last is done after all of them.
        async with asyncio.timeout(30):
            assert await comment.call(7, "last") is None
    assert written(url, app.name) == [*TEXTS, "last"]
