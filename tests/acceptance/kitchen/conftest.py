"""Every story is told on each broker: one variable is all that differs."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeAlias

import pytest

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
def kitchen(shared_broker: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Premises]:
    """One for all tests that do no harm."""
    with kitchen_in(tmp_path_factory.mktemp("kitchen"), shared_broker) as opened:
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
