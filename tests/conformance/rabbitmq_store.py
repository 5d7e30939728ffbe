"""A virtual host of its own for each case."""

import asyncio
import time
from collections.abc import Iterator
from typing import Literal

import pytest

from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.wiring import Ports, open_ports
from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import with_virtual_host

#: Seconds within which the broker must know of a connection.
PATIENCE = 20.0
#: A case has two.
CLIENTS = 2


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

    async def cut_off(self, store: str) -> None:
        """Hang up, from the broker's side, on the client that was there first; the other takes what it held."""
        deadline = time.monotonic() + PATIENCE
        # The broker tells operators of a connection a moment after it was made.
        while len(consuming := await asyncio.to_thread(management().connections, store, "suite consume")) < CLIENTS:
            assert time.monotonic() < deadline, f"the broker knows of {consuming} only"
        await asyncio.to_thread(management().hang_up, consuming[0])
