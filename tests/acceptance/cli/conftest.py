"""Every story is told on each broker: one setting is all that differs."""

from collections.abc import Iterator
from typing import cast

import pytest

from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import with_virtual_host
from tests.acceptance.cli.stage import Stage


@pytest.fixture(params=["sqlite", pytest.param("rabbitmq", marks=pytest.mark.servers)])
def broker(request: pytest.FixtureRequest) -> str:
    """Where the story plays; a module that needs no broker, or one in particular, says so itself."""
    return cast(str, request.param)


@pytest.fixture
def stage(stage: Stage, broker: str) -> Iterator[Stage]:
    if broker == "sqlite":
        yield stage
        return
    with management().virtual_host() as virtual_host:
        stage.environment["GOATHERD_BROKER_URL"] = with_virtual_host(amqp_url(), virtual_host)
        yield stage
        # Who still runs would only complain of the loss.
        stage.close()
