"""A virtual host of its own for each case."""

import asyncio
from collections.abc import Iterator
from typing import Literal

import pytest

from goatherd.config import Settings
from goatherd.ports.clock import SystemClock
from goatherd.wiring import Ports, open_ports
from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import with_virtual_host


class RabbitStore:
    queue_type: Literal["quorum", "classic"] = "quorum"

    @pytest.fixture
    def store(self) -> Iterator[str]:
        with management().virtual_host() as name:
            yield name

    async def open(self, store: str) -> Ports:
        url = with_virtual_host(amqp_url(), store)
        settings = Settings(broker_url=url, default_queue="suite", app="suite", queue_type=self.queue_type)
        return await open_ports(settings, SystemClock())
