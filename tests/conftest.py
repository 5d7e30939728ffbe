"""Shared by all tests."""

import pytest
from hypothesis import HealthCheck, settings

from scripts.servers.addresses import amqp_url, management
from scripts.servers.install import NoServer

# The conformance suites are shipped in the package; their assertions should explain themselves too.
pytest.register_assert_rewrite("goatherd.testing.suites")

# A busy machine is no failure: no property here is about time.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test that needs a server and has none fails with what to do; skipped, it would not be missed."""
    if item.get_closest_marker("servers") is not None and (why := _missing_server()) is not None:
        pytest.fail(why, pytrace=False)


def _missing_server() -> str | None:
    try:
        amqp_url()
        management()
    except NoServer as error:
        return str(error)
    return None
