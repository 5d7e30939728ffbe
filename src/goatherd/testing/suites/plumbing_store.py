"""What the suite of the plumbing stands on: an empty virtual host, those who change it, and the traffic in it."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Any, ClassVar, Protocol

import pytest
import pytest_asyncio

from goatherd.ports.plumbing import Plumbing


class Traffic(Protocol):
    """Programs that publish and consume, without knowing of the changes."""

    async def publish(self, exchange: str, key: str, *bodies: bytes) -> None:
        """Publish one after the other; fails the case if one of them is not accepted."""

    async def drain(self, queue: str) -> list[tuple[str, bytes]]:
        """Take all that waits: key and body of each, oldest first."""

    async def consume(self, queue: str) -> None:
        """Consume from a queue until `leave`."""

    async def hold(self, queue: str) -> None:
        """Take one message and consume no more, but keep the message until `settle`."""

    async def settle(self) -> None:
        """Be done with all that is held."""

    async def leave(self) -> None:
        """Consume no more."""


class PlumbingCases:
    """What the parts of the suite have in common; see `PlumbingSuite`."""

    # Written here, so that the suite runs in both modes of pytest-asyncio.
    pytestmark: ClassVar[pytest.MarkDecorator] = pytest.mark.asyncio

    @pytest.fixture
    def store(self) -> Any:
        """An empty virtual host, in whatever form `open` takes it."""
        raise NotImplementedError("Give the suite a fixture `store`: an empty virtual host.")

    def open(self, store: Any) -> AbstractAsyncContextManager[Plumbing]:
        """Open one client; called several times for one store."""
        raise NotImplementedError("Give the suite a method `open(store)`: a context manager with one more client.")

    def traffic_in(self, store: Any) -> AbstractAsyncContextManager[Traffic]:
        """Programs that use the same virtual host."""
        raise NotImplementedError("Give the suite a method `traffic_in(store)`: a context manager with its traffic.")

    @pytest_asyncio.fixture
    async def plumbing(self, store: Any) -> AsyncIterator[Plumbing]:
        """Who changes things."""
        async with self.open(store) as plumbing:
            yield plumbing

    @pytest_asyncio.fixture
    async def other(self, store: Any) -> AsyncIterator[Plumbing]:
        """Somebody else who does."""
        async with self.open(store) as plumbing:
            yield plumbing

    @pytest_asyncio.fixture
    async def traffic(self, store: Any) -> AsyncIterator[Traffic]:
        """Those who know nothing of it."""
        async with self.traffic_in(store) as traffic:
            yield traffic
