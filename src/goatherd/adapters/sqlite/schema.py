"""Bring a file to the schema that this version needs, and refuse what is not ours."""

from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import apsw

from goatherd.adapters.record_words import words_of_former
from goatherd.errors import SettingsError

#: Marks a file as ours ("GOAT" in ASCII), so that somebody's other database is never written into.
APPLICATION_ID = 0x474F4154


def migrate(connection: apsw.Connection, path: Path) -> None:
    """Apply the numbered files that this database has not seen yet, in one transaction."""
    steps = list(_steps())
    newest = steps[-1][0]
    if connection.pragma("user_version") == newest and connection.pragma("application_id") == APPLICATION_ID:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        current = _checked_version(connection, path, newest)
        connection.create_scalar_function("goatherd_words_of_history", _words_of_former, 4, deterministic=True)
        for number, script in steps:
            if number > current:
                connection.execute(script)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {newest}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _words_of_former(*row: Any) -> str:
    job, status, error, message = row
    return words_of_former(job, status, error, message)


def _checked_version(connection: apsw.Connection, path: Path, newest: int) -> int:
    current = int(connection.pragma("user_version"))
    if connection.pragma("application_id") != APPLICATION_ID:
        tables = connection.execute("SELECT count(*) FROM sqlite_schema").get
        if current or tables:
            told = (
                f"The file {path} is a database of another program. Set GOATHERD_BROKER_URL to a file "
                f"of its own, such as sqlite:///goatherd.db."
            )
            raise SettingsError([told])
    if current > newest:
        told = (
            f"The file {path} was written by a newer Goatherd (schema {current}; this one knows {newest}). "
            f"Upgrade Goatherd in this program, or set GOATHERD_BROKER_URL to another file."
        )
        raise SettingsError([told])
    return current


def _steps() -> Iterator[tuple[int, str]]:
    folder = resources.files("goatherd.adapters.sqlite") / "sql"
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        number = entry.name.split("_", 1)[0]
        if number.isdigit():
            yield int(number), entry.read_text(encoding="utf-8")
