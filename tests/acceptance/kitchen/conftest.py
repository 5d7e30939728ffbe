"""Every story is told on each broker: one variable is all that differs."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeAlias

import httpx2
import obstore
import pytest
from moto.server import ThreadedMotoServer
from obstore.store import S3Store

from examples.kitchen.story.stage import png
from examples.kitchen.trap_site import TrapSite
from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import with_virtual_host
from tests.acceptance.kitchen.premises import Premises, kitchen_in

#: `open_kitchen({"KITCHEN_AI_SECONDS": "1"}, "ai")`: with these settings, and without that program.
OpenKitchen: TypeAlias = Callable[..., AbstractContextManager[Premises]]

BROKERS = [
    pytest.param("sqlite", marks=pytest.mark.xdist_group("kitchen sqlite")),
    pytest.param("rabbitmq", marks=[pytest.mark.servers, pytest.mark.xdist_group("kitchen rabbitmq")]),
]


@pytest.fixture(scope="session", params=BROKERS)
def shared_broker(request: pytest.FixtureRequest) -> Iterator[Mapping[str, str]]:
    """The settings that say where the messages are, for those who share a kitchen."""
    yield from settings_of(request.param)


@pytest.fixture(params=BROKERS)
def broker(request: pytest.FixtureRequest) -> Iterator[Mapping[str, str]]:
    """The same for those who need one of their own; a module that is about one broker says so itself."""
    yield from settings_of(request.param)


def settings_of(broker: str) -> Iterator[Mapping[str, str]]:
    if broker == "sqlite":
        yield {}
        return
    with management().virtual_host() as virtual_host:
        yield {"RABBITMQ_URL": with_virtual_host(amqp_url(), virtual_host)}


@pytest.fixture(scope="session")
def s3() -> Iterator[str]:
    """A server like S3, with a picture in a bucket."""
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    httpx2.put(f"{url}/menu").raise_for_status()
    store = S3Store(
        "menu", endpoint=url, access_key_id="id", secret_access_key="secret", client_options={"allow_http": True}
    )
    obstore.put(store, "soup.png", png(320, 200))
    try:
        yield url
    finally:
        server.stop()


@pytest.fixture(scope="session")
def kitchen(shared_broker: Mapping[str, str], s3: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Premises]:
    """One for all tests that do no harm."""
    storage = {"AWS_ENDPOINT_URL": s3, "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret"}
    with kitchen_in(tmp_path_factory.mktemp("kitchen"), {**shared_broker, **storage}) as opened:
        yield opened


@pytest.fixture
def open_kitchen(broker: Mapping[str, str], tmp_path: Path) -> OpenKitchen:
    """One of the test's own."""

    def opened(
        settings: Mapping[str, str], *without: str, main: list[str] | None = None
    ) -> AbstractContextManager[Premises]:
        return kitchen_in(tmp_path, {**broker, **settings}, *without, main=main)

    return opened


@pytest.fixture(scope="session")
def site() -> Iterator[TrapSite]:
    with TrapSite() as opened:
        yield opened
