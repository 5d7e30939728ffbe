"""A RabbitMQ and a PostgreSQL of one's own, to be killed and frozen, and a line to the shared broker, to be cut."""

from collections.abc import AsyncIterator, Iterator
from urllib.parse import urlsplit

import pytest

from scripts.servers.addresses import amqp_url as shared_amqp_url
from scripts.servers.addresses import management as shared_management
from scripts.servers.management import Management, with_virtual_host
from scripts.servers.postgres import Postgres, ensure_postgres
from scripts.servers.proxy import Proxy
from scripts.servers.rabbitmq import RabbitMQ, ensure_rabbitmq


@pytest.fixture(scope="session")
def own_rabbitmq(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RabbitMQ]:
    """For all tests of this process that harm their broker; they carry one xdist_group, so there is only one."""
    ensure_rabbitmq()
    with RabbitMQ(tmp_path_factory.mktemp("rabbitmq")) as broker:
        yield broker


@pytest.fixture
def rabbitmq(own_rabbitmq: RabbitMQ) -> RabbitMQ:
    """Well at the start, whatever the test before did to it."""
    own_rabbitmq.thaw()
    if not own_rabbitmq.running:
        own_rabbitmq.start()
    return own_rabbitmq


@pytest.fixture
def virtual_host(rabbitmq: RabbitMQ) -> Iterator[str]:
    management = Management(rabbitmq.management_url)
    with management.virtual_host() as name:
        yield name
        # To be able to clear up.
        rabbitmq.thaw()
        if not rabbitmq.running:
            rabbitmq.start()


@pytest.fixture
def amqp_url(rabbitmq: RabbitMQ, virtual_host: str) -> str:
    """A virtual host of one's own on it."""
    return with_virtual_host(rabbitmq.url, virtual_host)


@pytest.fixture
def shared_virtual_host() -> Iterator[str]:
    """A virtual host of one's own on the broker that all tests share, for those who do no harm to it."""
    with shared_management().virtual_host() as name:
        yield name


@pytest.fixture
async def proxy() -> AsyncIterator[Proxy]:
    """Stands before the broker that all tests share."""
    port = urlsplit(shared_amqp_url()).port
    assert port is not None
    async with Proxy(port) as opened:
        yield opened


@pytest.fixture
def proxied_url(proxy: Proxy, shared_virtual_host: str) -> str:
    return with_virtual_host(f"amqp://guest:guest@127.0.0.1:{proxy.port}", shared_virtual_host)


@pytest.fixture(scope="session")
def harmed_postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    """For all tests of this process that harm their database; they carry one xdist_group, so there is only one."""
    ensure_postgres()
    with Postgres(tmp_path_factory.mktemp("postgres")) as server:
        yield server


@pytest.fixture
def own_postgres(harmed_postgres: Postgres) -> Iterator[Postgres]:
    """Well again at the end, whatever the test did to it."""
    yield harmed_postgres
    harmed_postgres.thaw()
    if not harmed_postgres.running:
        harmed_postgres.start()
