"""Every story is told on one file, and on RabbitMQ and Redis."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.servers.addresses import amqp_url, management, redis_url
from scripts.servers.management import with_virtual_host


@pytest.fixture(params=["embedded", pytest.param("servers", marks=pytest.mark.servers("rabbitmq", "redis"))])
def stores(request: pytest.FixtureRequest) -> str:
    """Where everything is kept."""
    return str(request.param)


@pytest.fixture
def broker_url(stores: str, tmp_path: Path) -> Iterator[str]:
    """An empty broker."""
    if stores == "embedded":
        yield f"sqlite:///{tmp_path}/jobs.db"
        return
    with management().virtual_host() as name:
        yield with_virtual_host(amqp_url(), name)


@pytest.fixture
def events_url(stores: str, tmp_path: Path) -> str:
    """Where tracked jobs are noted."""
    return f"sqlite:///{tmp_path}/events.db" if stores == "embedded" else redis_url()
