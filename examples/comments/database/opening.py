"""Which database it is."""

from examples.comments.database.tables import LANDMARK, make_tables
from examples.running.database import opening
from examples.running.database.database import Database


def database_at(url: str) -> Database:
    """The one that a URL names, with the tables of posts; it is not opened yet."""
    return opening.database_at(url, make_tables, LANDMARK)
