"""Do something of ours inside a transaction of the user's own.

What is to be done is a generator that asks for statements, or for a pause, and gets the row of each; so it is written
once, for connections that are awaited and for those that are not.
"""

import asyncio
import time
from collections.abc import Generator, Sequence
from typing import Any, TypeAlias, TypeVar

from goatherd.engine.within import ASKS_WITH_MARKS, first_row, first_row_now, libraries_of
from goatherd.errors import DefinitionError
from goatherd.model.statement import Statement

T = TypeVar("T")

Row: TypeAlias = Sequence[Any] | None
#: Asks for the rows of statements; a number is seconds to wait.
Asking: TypeAlias = Generator[Statement | float, Row, T]

#: Codes of the server for a table, a function, a column or a schema that is not there.
_MISSING = {"42P01", "42883", "42703", "3F000"}
_FORBIDDEN = "42501"
#: Libraries whose own connections cannot be used, and what can be in their place.
_OTHERS = {
    "sqlite3": "a file of SQLite cannot be shared with Goatherd",
    "apsw": "a file of SQLite cannot be shared with Goatherd",
    "aiosqlite": "a file of SQLite cannot be shared with Goatherd",
    "asyncpg": "use it through SQLAlchemy, or psycopg's AsyncConnection",
}
_WHERE = "within= takes a connection to the PostgreSQL database that GOATHERD_RECORDS_URL names"


async def through(connection: Any, asking: Asking[T]) -> T:
    """Do it with an async or a plain connection; raises DefinitionError, or whatever the connection raises."""
    check_connection(connection)
    row: Row = None
    try:
        while True:
            asked = asking.send(row)
            if isinstance(asked, float):
                await asyncio.sleep(asked)
                row = None
                continue
            try:
                row = await first_row(connection, asked)
            except Exception as error:
                raise explained(error) from error
    except StopIteration as end:
        result: T = end.value
        return result


def through_now(connection: Any, asking: Asking[T]) -> T:
    """Do it with a plain connection, in this thread; raises the same."""
    check_connection(connection)
    row: Row = None
    try:
        while True:
            asked = asking.send(row)
            if isinstance(asked, float):
                time.sleep(asked)
                row = None
                continue
            try:
                row = first_row_now(connection, asked)
            except Exception as error:
                raise explained(error) from error
    except StopIteration as end:
        result: T = end.value
        return result


def check_connection(connection: Any) -> None:
    """Raise DefinitionError for what cannot be a connection to PostgreSQL."""
    for library in libraries_of(connection) & _OTHERS.keys():
        raise DefinitionError(f"{_WHERE}, not one of {library}: {_OTHERS[library]}.")
    if not any(callable(getattr(connection, verb, None)) for verb in ("execute", "cursor")):
        raise DefinitionError(f"{_WHERE}, of psycopg, SQLAlchemy or Django; a {type(connection).__name__} is none.")
    dialect = _dialect(connection)
    if dialect is not None and dialect != "postgresql":
        raise DefinitionError(f"{_WHERE}, and this one is to {dialect}.")


def explained(error: Exception) -> Exception:
    """What a mistake of the program made the database say, in our words; anything else as it is.

    The connection is the user's, who knows its errors and may want to try the transaction again.
    """
    if isinstance(error, TypeError):
        return DefinitionError(f"{_WHERE}, plain for `blocking(...)` and else async or plain: {error}")
    code = _code(error)
    if code in _MISSING and "goatherd" in str(error):
        return other_database()
    if code == _FORBIDDEN:
        return DefinitionError(
            f"The user of the connection given as within= may not write to Goatherd's tables. Let its owner run: "
            f"GRANT USAGE ON SCHEMA goatherd TO <user>; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "
            f"goatherd TO <user>; GRANT USAGE ON ALL SEQUENCES IN SCHEMA goatherd TO <user>;  The database said: "
            f"{error}"
        )
    return error


def other_database() -> DefinitionError:
    """The error for a connection that is not to the database of the records."""
    return DefinitionError(
        f"{_WHERE}, and this one is to another database: it has none of the app's tables. Set GOATHERD_RECORDS_URL to "
        f"the database of your own tables, and run `goatherd migrate` there."
    )


def kind_of(connection: Any) -> str | None:
    """What kind of database a connection is to, as far as it tells."""
    return "sqlite" if libraries_of(connection) & ASKS_WITH_MARKS else _dialect(connection)


def _dialect(connection: Any) -> str | None:
    """What kind of database it is to, where the library tells."""
    libraries = libraries_of(connection)
    if "django" in libraries:
        return str(connection.vendor)
    if "sqlalchemy" not in libraries:
        return None
    # A session has its connection made at first use, but knows to what.
    bound = connection.get_bind() if hasattr(connection, "get_bind") else connection
    return str(bound.dialect.name)


def _code(error: BaseException | None) -> str | None:
    """The server's code; libraries put an error of their own around the driver's."""
    while error is not None:
        for each in (error, getattr(error, "orig", None)):
            for name in ("sqlstate", "pgcode"):
                if isinstance(code := getattr(each, name, None), str):
                    return code
        error = error.__cause__
    return None
