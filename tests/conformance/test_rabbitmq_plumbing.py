"""The plumbing's suite on RabbitMQ, where messages are moved by ourselves, and where a shovel moves them."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from goatherd.adapters.rabbitmq.address import Address, read_address
from goatherd.adapters.rabbitmq.asking import Asking
from goatherd.adapters.rabbitmq.counts import Counts
from goatherd.adapters.rabbitmq.failures import LinkLost
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.management import Management
from goatherd.adapters.rabbitmq.management_address import read_management_url
from goatherd.adapters.rabbitmq.pace import Pace
from goatherd.adapters.rabbitmq.plumbing import RabbitPlumbing
from goatherd.adapters.rabbitmq.shovel import Shovel
from goatherd.adapters.rabbitmq.solitude import Solitude
from goatherd.errors import Unavailable
from goatherd.model.blueprint import QueueSpec
from goatherd.ports.plumbing import Plumbing
from goatherd.testing.suites import PlumbingSuite
from goatherd.testing.suites.plumbing_changes import drops, make
from goatherd.testing.suites.plumbing_moves import MoveCases
from goatherd.testing.suites.plumbing_store import PlumbingCases, Traffic
from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import Management as Operator
from scripts.servers.management import with_virtual_host
from scripts.servers.rabbitmq import SHOVEL, RabbitMQ, ensure_rabbitmq
from tests.conformance.rabbitmq_traffic import traffic_at


@dataclass(frozen=True)
class Host:
    """One virtual host."""

    address: Address
    management_url: str


class OnRabbit(PlumbingCases):
    @asynccontextmanager
    async def open(self, store: Host) -> AsyncIterator[Plumbing]:
        link = Link(store.address, "suite topology")
        await link.open()
        try:
            yield RabbitPlumbing(link, Management(read_management_url(store.management_url, store.address)))
        finally:
            await link.close()

    @asynccontextmanager
    async def traffic_in(self, store: Host) -> AsyncIterator[Traffic]:
        async with traffic_at(store.address) as traffic:
            yield traffic


@pytest.mark.servers
class TestRabbitPlumbing(OnRabbit, PlumbingSuite):
    @pytest.fixture
    def store(self) -> Iterator[Host]:
        with management().virtual_host() as name:
            yield Host(read_address(with_virtual_host(amqp_url(), name)), management().url)


@pytest.fixture(scope="module")
def shovelling(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RabbitMQ]:
    ensure_rabbitmq()
    with RabbitMQ(tmp_path_factory.mktemp("shovel"), plugins=SHOVEL) as broker:
        yield broker


@pytest.mark.servers
@pytest.mark.xdist_group("shovel")
class TestShovel(OnRabbit, MoveCases):
    @pytest.fixture
    def store(self, shovelling: RabbitMQ) -> Iterator[Host]:
        with Operator(shovelling.management_url).virtual_host() as name:
            yield Host(read_address(with_virtual_host(shovelling.url, name)), shovelling.management_url)

    @pytest.fixture(autouse=True)
    def impatience(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where the shovel can only stand still, that is noticed soon."""
        if "takes_no_more" in request.node.name:
            monkeypatch.setattr("goatherd.adapters.rabbitmq.shovel.STANDSTILL", 1.0)

    async def test_the_broker_moves_them_itself(self, plumbing: Plumbing, traffic: Traffic, store: Host) -> None:
        """So that the other cases show what they are to show."""
        await make(plumbing, QueueSpec(name="mail", type="classic"))
        await traffic.publish("", "mail", b"1", b"2")
        link = Link(store.address, "suite topology")
        await link.open()
        management = Management(read_management_url(store.management_url, store.address))
        host = store.address.virtual_host
        told: list[int] = []
        asking = Asking(link)
        shovel = Shovel(management, Counts(asking, management, host), host, Solitude(link, asking))
        assert await shovel.move("mail", "amq.fanout", Pace("mail", told.append))
        assert told[-1] == 2
        await link.close()

    async def test_a_shovel_of_one_who_was_killed_is_put_away(
        self, plumbing: Plumbing, traffic: Traffic, store: Host
    ) -> None:
        await make(plumbing, QueueSpec(name="mail", type="classic"), QueueSpec(name="mail.swap", type="classic"))
        host = store.address.virtual_host
        uri = {"src-uri": f"amqp:///{host}", "dest-uri": f"amqp:///{host}"}
        left = {"src-queue": "mail", "dest-queue": "mail.swap", **uri}
        operator = Operator(store.management_url)
        operator.ask("PUT", f"parameters/shovel/{host}/goatherd.move.v1", {"value": left})
        async with plumbing.alone():
            assert operator.ask("GET", f"parameters/shovel/{host}") == []
            assert await drops(plumbing, "mail")

    async def test_whoever_is_not_alone_any_more_leaves_the_shovel_to_its_successor(
        self, plumbing: Plumbing, traffic: Traffic, store: Host
    ) -> None:
        await make(plumbing, QueueSpec(name="mail", type="classic"))
        await traffic.publish("", "mail", b"1")
        link = Link(store.address, "suite topology")
        await link.open()
        management = Management(read_management_url(store.management_url, store.address))
        host, asking = store.address.virtual_host, Asking(link)
        solitude = Solitude(link, asking)
        shovel = Shovel(management, Counts(asking, management, host), host, solitude)
        operator = Operator(store.management_url)
        async with solitude.held():
            # There is no such exchange, so that it never ends.
            moving = asyncio.create_task(shovel.move("mail", "nowhere", Pace("mail", lambda _moved: None)))
            async with asyncio.timeout(60):
                while not operator.ask("GET", f"parameters/shovel/{host}"):
                    await asyncio.sleep(0.05)
            (await link.connection()).fail(LinkLost("cut off by a test"))
            with pytest.raises(Unavailable, match="the right to change"):
                await asyncio.wait_for(moving, 60)
        async with plumbing.alone():
            pass
        assert operator.ask("GET", f"parameters/shovel/{host}") == [], "the successor puts it away"
        await link.close()
