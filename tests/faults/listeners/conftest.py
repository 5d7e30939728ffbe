"""A virtual host on the broker that all tests share, and a line to it on which a consumer can go deaf."""

from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest

from goatherd.adapters.rabbitmq import conduct, hearing
from scripts.servers.addresses import amqp_url as shared_amqp_url
from scripts.servers.management import with_virtual_host
from tests.faults.listeners.deaf_line import DeafLine


@pytest.fixture
def url(shared_virtual_host: str) -> str:
    return with_virtual_host(shared_amqp_url(), shared_virtual_host)


@pytest.fixture
async def deaf_line() -> AsyncIterator[DeafLine]:
    port = urlsplit(shared_amqp_url()).port
    assert port is not None
    async with DeafLine(port) as opened:
        yield opened


@pytest.fixture
def deaf_url(deaf_line: DeafLine, shared_virtual_host: str) -> str:
    return with_virtual_host(f"amqp://guest:guest@127.0.0.1:{deaf_line.port}", shared_virtual_host)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is tried again, and looked at, sooner than in earnest."""
    monkeypatch.setattr(conduct, "FIRST_PAUSE", 0.1)
    monkeypatch.setattr(hearing, "EVERY", 0.5)
    monkeypatch.setattr(hearing, "SETTLED", 0.3)
