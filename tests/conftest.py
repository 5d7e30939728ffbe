"""Shared by all tests."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from scripts.servers.addresses import (
    amqp_url,
    chromium,
    management,
    media,
    node_packages,
    old_taskiq,
    postgres_url,
    promtool,
    redis_url,
    spin,
    systemd_analyze,
)
from scripts.servers.install import NoServer
from scripts.suite import FAILED

# The conformance suites are shipped in the package; their assertions should explain themselves too.
pytest.register_assert_rewrite("goatherd.testing.suites")

# A busy machine is no failure: no property here is about time.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


#: What a test marked `servers` needs; without a name it is RabbitMQ.
SERVERS = {
    "rabbitmq": (amqp_url, management),
    "redis": (redis_url,),
    "postgres": (postgres_url,),
    "chromium": (chromium,),
    "node": (node_packages,),
    "spin": (spin,),
    "media": (media,),
    "systemd": (systemd_analyze,),
    "promtool": (promtool,),
    "taskiq": (old_taskiq,),
}


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test that needs a server and has none fails with what to do; skipped, it would not be missed."""
    for marker in item.iter_markers("servers"):
        if (why := _missing_server(marker.args or ("rabbitmq",))) is not None:
            pytest.fail(why, pytrace=False)


def _missing_server(names: Sequence[str]) -> str | None:
    try:
        for name in names:
            for look_up in SERVERS[name]:
                look_up()
    except NoServer as error:
        return str(error)
    return None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write down what failed, for whoever tries it once more."""
    told = os.environ.get(FAILED)
    if told:
        reports = [each for kind in ("failed", "error") for each in terminalreporter.getreports(kind)]
        Path(told).write_text("\n".join(report.nodeid for report in reports))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Tests that must not run side by side are in groups; a runner that does not see them would let them."""
    if not getattr(session.config.option, "loadgroup", False):
        return
    unseen = [
        each.nodeid for each in session.items if each.get_closest_marker("xdist_group") and "@" not in each.nodeid
    ]
    if unseen:
        raise pytest.UsageError(f"pytest-xdist does not see the groups of {len(unseen)} tests, such as {unseen[0]}")
