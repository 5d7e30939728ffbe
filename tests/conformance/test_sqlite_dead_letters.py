"""The suite of the dead letters on SQLite."""

from goatherd.testing.suites import DeadLettersSuite
from tests.conformance.sqlite_store import SqliteStore


class TestSqliteDeadLetters(SqliteStore, DeadLettersSuite):
    pass
