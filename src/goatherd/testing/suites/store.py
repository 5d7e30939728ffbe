"""What every suite stands on: an empty store, and as many clients of it as a case needs."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, ClassVar, TypeAlias

import pytest
import pytest_asyncio

from goatherd.model.ids import new_id
from goatherd.model.topology import Queue
from goatherd.wiring import Ports

#: Opens one more client of the case's store; all are closed when the case ends.
OpenBroker: TypeAlias = Callable[[], Awaitable[Ports]]


class StoreSuite:
    """A suite of cases; its name does not begin with Test, so only subclasses are collected.

    A subclass gives `store` and `open`:

        class TestMyBroker(BrokerSuite):
            @pytest.fixture
            def store(self, tmp_path):
                return tmp_path / "jobs.db"

            async def open(self, store):
                return await open_my_ports(store)
    """

    # Written here, so that the suite runs in both modes of pytest-asyncio.
    pytestmark: ClassVar[pytest.MarkDecorator] = pytest.mark.asyncio

    @pytest.fixture
    def store(self) -> Any:
        """An empty store, in whatever form `open` takes it."""
        raise NotImplementedError("Give the suite a fixture `store`: an empty store, such as the path of a new file.")

    async def open(self, store: Any) -> Ports:
        """Open one client; called several times for one store."""
        raise NotImplementedError("Give the suite a method `open(store)` that returns the ports of one more client.")

    def leftovers(self, store: Any) -> Sequence[str]:
        """What clients have left behind in the store that must be gone when all are closed, such as sockets."""
        return ()

    @pytest_asyncio.fixture
    async def open_broker(self, store: Any) -> AsyncIterator[OpenBroker]:
        """Opens clients for a case; afterwards nothing of them may be left."""
        before = alive()
        clients: list[Ports] = []

        async def open_one() -> Ports:
            clients.append(await self.open(store))
            return clients[-1]

        yield open_one
        for client in clients:
            await client.close()
        assert alive() - before == set(), "these tasks and threads outlived their clients"

    @pytest_asyncio.fixture
    async def client(self, open_broker: OpenBroker) -> Ports:
        """The client that most cases begin with."""
        return await open_broker()

    @pytest_asyncio.fixture
    async def other(self, open_broker: OpenBroker) -> Ports:
        """A second client, which competes with the first."""
        return await open_broker()

    @pytest_asyncio.fixture
    async def queue(self, client: Ports) -> str:
        """A queue that no other case uses."""
        return await declared(client)


async def declared(client: Ports, **properties: Any) -> str:
    """The name of a new queue."""
    queue = Queue(name=f"suite.{new_id()}", **properties)
    await client.broker.declare([queue])
    return queue.name


def alive() -> set[str]:
    """Every task and thread by name, without those that wait in the loop's own pool for the next caller."""
    threads = {thread.name for thread in threading.enumerate() if not thread.name.startswith("asyncio_")}
    return threads | {task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()}
