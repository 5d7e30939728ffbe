"""The suite of the lanes on PostgreSQL."""

import pytest

from goatherd.testing.suites import LanesSuite
from tests.conformance.postgres_store import PostgresLaneStore


@pytest.mark.servers("postgres")
class TestPostgresLanes(PostgresLaneStore, LanesSuite):
    pass
