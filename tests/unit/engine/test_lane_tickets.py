"""Stories: a job shows where it stands, through whatever connection the user has."""

import sqlite3  # noqa: TID251 - the user has a file of their own
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
import sqlalchemy

from goatherd.engine.ticket import FENCE_TABLE, Ticket
from goatherd.errors import DefinitionError, Fenced
from goatherd.model.lane import Fence
from goatherd.model.statement import InLane, Statement

LANE = "comments/post_id=7"


def ticket(token: int, seq: int, **said: Any) -> Ticket:
    return Ticket(fence=Fence(key=LANE, token=token, seq=seq), **said)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(tmp_path / "forum.db", isolation_level=None)
    connection.execute(FENCE_TABLE)
    yield connection
    connection.close()


def written(database: sqlite3.Connection) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in database.execute("SELECT lane, token, seq FROM goatherd_fence")]


# --- what the fence says ----------------------------------------------------------------------------


async def test_the_first_effect_of_a_lane_is_noted(database: sqlite3.Connection) -> None:
    await ticket(5, 1).commit(database)
    assert written(database) == [(LANE, 5, 1)]


async def test_effects_follow_one_another(database: sqlite3.Connection) -> None:
    for token, seq in [(5, 1), (5, 2), (9, 4)]:
        await ticket(token, seq).commit(database)
    assert written(database) == [(LANE, 9, 4)]


async def test_a_job_whose_effect_was_made_is_told_so(database: sqlite3.Connection) -> None:
    await ticket(5, 1).commit(database)
    for token in (5, 8):
        with pytest.raises(Fenced, match="An earlier attempt of this job in lane post_id=7 had its effect") as raised:
            await ticket(token, 1).commit(database)
        assert raised.value.applied
    assert written(database) == [(LANE, 5, 1)]


@pytest.mark.parametrize(("token", "seq"), [(4, 1), (4, 2), (4, 3)])
async def test_who_lost_the_lane_is_told_so(database: sqlite3.Connection, token: int, seq: int) -> None:
    await ticket(5, 2).commit(database)
    with pytest.raises(Fenced, match="The lane post_id=7 is with another worker now") as raised:
        await ticket(token, seq).commit(database)
    assert not raised.value.applied
    assert written(database) == [(LANE, 5, 2)]


async def test_lanes_do_not_fence_each_other(database: sqlite3.Connection) -> None:
    await ticket(9, 9).commit(database)
    await Ticket(fence=Fence(key="comments/post_id=8", token=1, seq=1)).commit(database)
    assert len(written(database)) == 2


async def test_a_transaction_that_is_rolled_back_leaves_no_trace(database: sqlite3.Connection) -> None:
    database.execute("BEGIN")
    await ticket(5, 1).commit(database)
    database.execute("ROLLBACK")
    await ticket(5, 1).commit(database)
    assert written(database) == [(LANE, 5, 1)]


async def test_a_table_that_is_missing_is_told_with_its_statement(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "empty.db")
    told = r"Make it once with: CREATE TABLE goatherd_fence \(lane.*no such table"
    with pytest.raises(DefinitionError, match=told):
        await ticket(1, 1).commit(connection)
    with pytest.raises(DefinitionError, match=told) as raised:
        ticket(1, 1).commit_now(connection)
    assert isinstance(raised.value.__cause__, sqlite3.OperationalError)
    connection.close()


async def test_another_error_of_the_database_is_its_own(database: sqlite3.Connection) -> None:
    database.close()
    with pytest.raises(sqlite3.ProgrammingError):
        await ticket(1, 1).commit(database)


# --- connections ------------------------------------------------------------------------------------


class UsersOwn(sqlite3.Connection):
    """As tools that watch a database derive them."""


def as_dictionary(cursor: sqlite3.Cursor, row: tuple[Any, ...]) -> dict[str, Any]:
    return {column[0]: value for column, value in zip(cursor.description, row, strict=True)}


def test_plain_functions_have_the_same_verbs(database: sqlite3.Connection) -> None:
    ticket(5, 1).commit_now(database)
    with pytest.raises(Fenced) as applied:
        ticket(6, 1).commit_now(database)
    with pytest.raises(Fenced) as newer:
        ticket(4, 2).commit_now(database)
    assert (applied.value.applied, newer.value.applied) == (True, False)


async def test_a_class_of_the_users_own_is_known_by_its_parents(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "forum.db", factory=UsersOwn)
    connection.execute(FENCE_TABLE)
    await ticket(5, 1).commit(connection)
    connection.close()


@pytest.mark.parametrize("rows", [sqlite3.Row, as_dictionary])
async def test_rows_may_be_of_any_kind(database: sqlite3.Connection, rows: Any) -> None:
    database.row_factory = rows
    await ticket(5, 1).commit(database)
    with pytest.raises(Fenced) as applied:
        await ticket(6, 1).commit(database)
    with pytest.raises(Fenced) as newer:
        await ticket(4, 2).commit(database)
    assert (applied.value.applied, newer.value.applied) == (True, False)


async def test_apsw_is_known() -> None:
    connection = apsw.Connection(":memory:")
    connection.execute(FENCE_TABLE)
    await ticket(5, 1).commit(connection)
    ticket(5, 2).commit_now(connection)
    with pytest.raises(Fenced):
        await ticket(5, 2).commit(connection)
    with pytest.raises(DefinitionError, match="CREATE TABLE"):
        await ticket(1, 1).commit(apsw.Connection(":memory:"))


class DjangoLike:
    """Has a cursor and no execute, and writes parameters as %s whatever the database."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def cursor(self) -> Any:
        cursor = self._database.cursor()

        class Wrapped:
            def execute(self, sql: str, parameters: Any) -> None:
                cursor.execute(sql.replace("%s", "?"), parameters)

            def fetchone(self) -> Any:
                return cursor.fetchone()

        return Wrapped()


async def test_a_connection_with_cursors_only_is_known(database: sqlite3.Connection) -> None:
    ticket(5, 1).commit_now(DjangoLike(database))
    await ticket(5, 2).commit(DjangoLike(database))
    with pytest.raises(Fenced):
        ticket(4, 3).commit_now(DjangoLike(database))
    assert written(database) == [(LANE, 5, 2)]


class AsyncLike:
    """As psycopg's async connection: execute is awaited, and so is fetchone."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    async def execute(self, sql: str, parameters: Any) -> "AsyncLike":
        self._result = self._database.execute(sql.replace("%s", "?"), parameters)
        return self

    async def fetchone(self) -> Any:
        return self._result.fetchone()


async def test_an_async_connection_is_awaited(database: sqlite3.Connection) -> None:
    await ticket(5, 1).commit(AsyncLike(database))
    with pytest.raises(Fenced):
        await ticket(5, 1).commit(AsyncLike(database))


@pytest.mark.filterwarnings("error")
def test_a_plain_function_cannot_await_one(database: sqlite3.Connection) -> None:
    with pytest.raises(TypeError, match="AsyncLike is an async connection, which a plain `def` cannot await"):
        ticket(5, 1).commit_now(AsyncLike(database))


async def test_something_else_is_no_connection() -> None:
    with pytest.raises(TypeError, match="A str has neither execute"):
        await ticket(5, 1).commit("postgresql://")


async def test_sqlalchemy_is_known(tmp_path: Path) -> None:
    engine = sqlalchemy.create_engine(f"sqlite:///{tmp_path}/forum.db")
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text(FENCE_TABLE))
        await ticket(5, 1).commit(connection)
    with engine.begin() as connection, pytest.raises(Fenced):
        ticket(5, 1).commit_now(connection)


# --- lanes in the user's own database ---------------------------------------------------------------


def in_lane(probe: str, commit: str) -> InLane:
    return InLane(probe=Statement(f"SELECT {probe}"), commit=Statement(f"SELECT {commit}"))


async def test_a_lane_in_the_same_database_is_moved_on_there(database: sqlite3.Connection) -> None:
    for plain in (True, False):
        shown = ticket(5, 1, in_lane=in_lane("1", "'done'"))
        shown.commit_now(database) if plain else await shown.commit(database)
        assert shown.used
    assert written(database) == []


@pytest.mark.parametrize(("told", "applied"), [("'newer'", False), ("'applied'", True)])
async def test_a_lane_in_the_same_database_fences_too(
    database: sqlite3.Connection, told: str, *, applied: bool
) -> None:
    with pytest.raises(Fenced) as raised:
        await ticket(5, 1, in_lane=in_lane("1", told)).commit(database)
    assert raised.value.applied == applied


@pytest.mark.parametrize("rows", [None, as_dictionary])
@pytest.mark.parametrize("probe", ["0", "NULL"])
async def test_in_another_database_the_fence_table_is_used(database: sqlite3.Connection, probe: str, rows: Any) -> None:
    database.row_factory = rows
    shown = ticket(5, 1, in_lane=in_lane(probe, "'done'"))
    await shown.commit(database)
    assert not shown.used
    database.row_factory = None
    assert written(database) == [(LANE, 5, 1)]


async def test_a_database_of_another_kind_is_not_asked(database: sqlite3.Connection, tmp_path: Path) -> None:
    """It does not know the tongue of the one with the lanes, and would fail at it."""
    other = sqlalchemy.create_engine(f"sqlite:///{tmp_path}/forum.db").connect()
    connections: list[Any] = [database, other]
    for seq, connection in enumerate(connections):
        elsewhere = InLane(
            probe=Statement("SELECT x FROM (SELECT 1) AS a (x)"), commit=Statement(""), kind="postgresql"
        )
        shown = ticket(5, 2 * seq + 1, in_lane=elsewhere)
        await shown.commit(connection)
        assert not shown.used
        shown = ticket(5, 2 * seq + 2, in_lane=elsewhere)
        shown.commit_now(connection)
        connection.commit()
    other.close()
    assert written(database) == [(LANE, 5, 4)]
