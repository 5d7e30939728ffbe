"""Which database it is."""

from pathlib import Path

from examples.comments.database.database import Database
from examples.comments.database.sqlite import SqliteDatabase


def database_at(url: str) -> Database:
    """The one that a URL names; it is not opened yet."""
    if url.startswith("sqlite:///"):
        return SqliteDatabase(Path(url.removeprefix("sqlite:///")))
    from examples.comments.database.postgres import PostgresDatabase

    return PostgresDatabase(url)
