"""The suite of called-off calls on every broker."""

import pytest

from goatherd.testing.suites.call_offs import CallOffsSuite
from tests.conformance.rabbitmq_store import RabbitStore
from tests.conformance.sqlite_store import SqliteStore, SqliteStoreOfSeveralProcesses


class TestSqliteInOneProcess(SqliteStore, CallOffsSuite):
    pass


class TestSqliteAsInSeveralProcesses(SqliteStoreOfSeveralProcesses, CallOffsSuite):
    pass


@pytest.mark.servers
class TestRabbit(RabbitStore, CallOffsSuite):
    pass
