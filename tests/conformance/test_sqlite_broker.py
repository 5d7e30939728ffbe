"""The broker's suite on SQLite."""

from goatherd.testing.suites import BrokerSuite
from tests.conformance.sqlite_store import SqliteStore, SqliteStoreOfSeveralProcesses


class TestSqliteInOneProcess(SqliteStore, BrokerSuite):
    pass


class TestSqliteAsInSeveralProcesses(SqliteStoreOfSeveralProcesses, BrokerSuite):
    pass
