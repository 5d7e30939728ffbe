"""The plumbing's suite on the virtual host in memory, on which other tests stand."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from goatherd.ports.plumbing import Plumbing
from goatherd.testing.suites import PlumbingSuite
from goatherd.testing.suites.plumbing_store import Traffic
from tests.plumbing_in_memory import MemoryPlumbing


class MemoryTraffic:
    """Satisfies `Traffic`."""

    def __init__(self, host: MemoryPlumbing) -> None:
        self._host = host
        self._consuming: list[str] = []

    async def publish(self, exchange: str, key: str, *bodies: bytes) -> None:
        for body in bodies:
            assert self._host.publish(exchange, key, body)

    async def drain(self, queue: str) -> list[tuple[str, bytes]]:
        letters = self._host.letters[queue]
        return [(letter.key, letter.body) for letter in (letters.popleft() for _ in range(len(letters)))]

    async def consume(self, queue: str) -> None:
        self._host.consume(queue)
        self._consuming.append(queue)

    async def hold(self, queue: str) -> None:
        self._host.hold(queue)

    async def settle(self) -> None:
        for queue in self._host.queues:
            self._host.settle(queue)

    async def leave(self) -> None:
        while self._consuming:
            self._host.leave(self._consuming.pop())


class TestMemoryPlumbing(PlumbingSuite):
    @pytest.fixture
    def store(self) -> MemoryPlumbing:
        return MemoryPlumbing()

    @asynccontextmanager
    async def open(self, store: MemoryPlumbing) -> AsyncIterator[Plumbing]:
        yield store

    @asynccontextmanager
    async def traffic_in(self, store: MemoryPlumbing) -> AsyncIterator[Traffic]:
        yield MemoryTraffic(store)
