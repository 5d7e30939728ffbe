"""A virtual host of its own for each story, on the RabbitMQ that all tests share."""

from collections.abc import Iterator

import pytest

from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import with_virtual_host


@pytest.fixture
def virtual_host() -> Iterator[str]:
    with management().virtual_host() as name:
        yield name


@pytest.fixture
def broker_url(virtual_host: str) -> str:
    return with_virtual_host(amqp_url(), virtual_host)
