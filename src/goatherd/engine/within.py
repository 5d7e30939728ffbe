"""Run a statement inside a transaction of the user's own, through whatever connection the user has.

Known are psycopg (sync and async), SQLAlchemy (sync and async), Django's `connection`, `sqlite3` and apsw.
"""

import inspect
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from goatherd.model.statement import Statement

#: Those whose parameters are written as question marks.
ASKS_WITH_MARKS = {"sqlite3", "apsw", "aiosqlite"}


async def first_row(connection: Any, statement: Statement) -> Sequence[Any] | None:
    """The statement's row, through an async or a plain connection."""
    result = _execute(connection, statement)
    if inspect.isawaitable(result):
        result = await result
    row = _fetch(result)
    if inspect.isawaitable(row):
        row = await row
    return _values(row)


def first_row_now(connection: Any, statement: Statement) -> Sequence[Any] | None:
    """The statement's row, through a plain connection."""
    result = _execute(connection, statement)
    if inspect.isawaitable(result):
        if inspect.iscoroutine(result):
            result.close()
        raise TypeError(
            f"{type(connection).__name__} is an async connection, which a plain `def` cannot await; "
            f"use an `async def`, or give it a plain connection."
        )
    return _values(_fetch(result))


def libraries_of(connection: Any) -> set[str]:
    """Whose classes it is of; users and their tools derive classes of their own."""
    return {each.__module__.partition(".")[0] for each in type(connection).__mro__}


def _execute(connection: Any, statement: Statement) -> Any:
    libraries = libraries_of(connection)
    if "sqlalchemy" in libraries:
        return _through_sqlalchemy(connection, statement)
    if "psycopg" in libraries and callable(getattr(connection, "cursor", None)):
        # The user may have chosen rows of another kind for the connection.
        cursor = connection.cursor(row_factory=import_module("psycopg.rows").tuple_row)
        return cursor.execute(statement.sql, tuple(statement.parameters))
    if libraries & ASKS_WITH_MARKS:
        return connection.execute(statement.sql.replace("%s", "?"), tuple(statement.parameters))
    if callable(getattr(connection, "execute", None)):
        return connection.execute(statement.sql, tuple(statement.parameters))
    if callable(getattr(connection, "cursor", None)):
        cursor = connection.cursor()
        cursor.execute(statement.sql, tuple(statement.parameters))
        return cursor
    raise TypeError(
        f"A {type(connection).__name__} has neither execute() nor cursor(); give a connection of psycopg, SQLAlchemy, "
        f"Django, sqlite3 or apsw, or check ctx.fence yourself."
    )


def _through_sqlalchemy(connection: Any, statement: Statement) -> Any:
    # Whoever has such a connection has the library, which nobody else needs.
    text = import_module("sqlalchemy").text
    # A colon stands for a parameter there, unless it is marked.
    pieces = statement.sql.replace(":", "\\:").split("%s")
    sql = "".join(f"{piece}:p{number}" for number, piece in enumerate(pieces[:-1])) + pieces[-1]
    return connection.execute(text(sql), {f"p{number}": value for number, value in enumerate(statement.parameters)})


def _fetch(result: Any) -> Any:
    return result.fetchone()


def _values(row: Any) -> Sequence[Any] | None:
    if row is None:
        return None
    return tuple(row.values() if isinstance(row, Mapping) else row)
