"""The suite of the records on SQLite."""

from goatherd.testing.suites import RecordsSuite
from tests.conformance.sqlite_store import SqliteStore, SqliteStoreOfSeveralProcesses


class TestSqliteRecords(SqliteStore, RecordsSuite):
    pass


class TestSqliteRecordsOfSeveralProcesses(SqliteStoreOfSeveralProcesses, RecordsSuite):
    pass
