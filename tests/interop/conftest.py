"""A virtual host of its own for each case, and another program on it."""

from collections.abc import Iterator

import pytest

from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import Management, with_virtual_host
from tests.interop.pika_program import PikaProgram


@pytest.fixture
def broker() -> Management:
    """The broker as its operators see it."""
    return management()


@pytest.fixture
def virtual_host(broker: Management) -> Iterator[str]:
    with broker.virtual_host() as name:
        yield name


@pytest.fixture
def url(virtual_host: str) -> str:
    """Where an app of the test finds its broker."""
    return with_virtual_host(amqp_url(), virtual_host)


@pytest.fixture
def pika(url: str) -> Iterator[PikaProgram]:
    """A program that knows nothing of Goatherd."""
    with PikaProgram(url) as program:
        yield program
