"""A shop, and somebody who replaces what it uses while it is open."""

from collections.abc import AsyncIterator

import pytest

from goatherd.adapters.rabbitmq import conduct, consumer, pauses
from scripts.servers.addresses import amqp_url as shared_amqp_url
from scripts.servers.management import with_virtual_host
from tests.faults.replacements.by_hand import Surgery, surgery


@pytest.fixture
def url(shared_virtual_host: str) -> str:
    return with_virtual_host(shared_amqp_url(), shared_virtual_host)


@pytest.fixture
async def surgeon(url: str) -> AsyncIterator[Surgery]:
    async with surgery(url) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Consumers learn of pauses, and look for a queue that they lost, sooner than in earnest."""
    monkeypatch.setattr(pauses, "LOOK_EVERY", 0.1)
    monkeypatch.setattr(conduct, "FIRST_PAUSE", 0.1)
    monkeypatch.setattr(consumer, "ANOTHER_LOOK", 0.1)
