"""Users choose what their rows are; a fence reads its own."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import rows

from goatherd.engine.ticket import Ticket
from goatherd.errors import Fenced
from goatherd.model.lane import Fence
from scripts.servers.addresses import postgres_url

pytestmark = [pytest.mark.servers("postgres"), pytest.mark.xdist_group("postgres")]

FENCES = "CREATE TABLE IF NOT EXISTS goatherd_fence (lane varchar(512) PRIMARY KEY, token bigint, seq bigint)"


class Comment:
    """As users read their rows."""

    def __init__(self, id: int, text: str) -> None: ...


class UsersOwn(psycopg.Connection[Any]):
    """As tools that watch a database derive them."""


@pytest.fixture
def url() -> Iterator[str]:
    """A database with a schema of this test's own, in which its fences are."""
    schema = f"rows_{uuid4().hex[:12]}"
    with psycopg.connect(postgres_url(), autocommit=True) as operator:
        operator.execute(f"CREATE SCHEMA {schema}")  # type: ignore[arg-type]  # the name is ours
        yield psycopg.conninfo.make_conninfo(postgres_url(), options=f"-csearch_path={schema}")
        operator.execute(f"DROP SCHEMA {schema} CASCADE")  # type: ignore[arg-type]


def ticket(token: int, seq: int) -> Ticket:
    return Ticket(fence=Fence(key="comments/post_id=7", token=token, seq=seq))


@pytest.mark.parametrize("kind", [rows.tuple_row, rows.dict_row, rows.namedtuple_row, rows.class_row(Comment)])
async def test_rows_may_be_of_any_kind(url: str, kind: Any) -> None:
    with UsersOwn.connect(url, row_factory=kind) as connection:
        connection.execute(FENCES)
        ticket(5, 1).commit_now(connection)
        with pytest.raises(Fenced) as applied:
            ticket(6, 1).commit_now(connection)
        with pytest.raises(Fenced) as newer:
            ticket(4, 2).commit_now(connection)
    assert (applied.value.applied, newer.value.applied) == (True, False)
    async with await psycopg.AsyncConnection.connect(url, row_factory=kind) as other:
        await ticket(5, 2).commit(other)
        with pytest.raises(Fenced):
            await ticket(5, 2).commit(other)


@pytest.mark.filterwarnings("error")
async def test_a_plain_function_cannot_await_an_async_connection(url: str) -> None:
    async with await psycopg.AsyncConnection.connect(url) as connection:
        with pytest.raises(TypeError, match="AsyncConnection is an async connection"):
            ticket(5, 1).commit_now(connection)
