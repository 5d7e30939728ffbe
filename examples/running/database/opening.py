"""Which database it is."""

from pathlib import Path

from examples.running.database.database import Database, MakeTables
from examples.running.database.sqlite import SqliteDatabase


def database_at(url: str, make_tables: MakeTables, landmark: str) -> Database:
    """The one that a URL names, not opened yet; where the table or index `landmark` is, all of them are."""
    if url.startswith("sqlite:///"):
        return SqliteDatabase(Path(url.removeprefix("sqlite:///")), make_tables)
    from examples.running.database.postgres import PostgresDatabase

    return PostgresDatabase(url, make_tables, landmark)
