"""The doctor notices a broker whose disk is short, before and after it takes no more messages."""

import asyncio
from collections.abc import Iterator

import pytest

from goatherd import Goatherd
from goatherd.cli.check import Check
from goatherd.cli.server_checks import server_checks
from scripts.servers.rabbitmq import RabbitMQ
from tests.faults.watching import until

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("harmed broker")]


@pytest.fixture
def limit(rabbitmq: RabbitMQ) -> Iterator[None]:
    yield
    rabbitmq.control("set_disk_free_limit", "50MB")


@pytest.mark.timeout(120)
@pytest.mark.usefixtures("limit")
async def test_a_disk_that_is_short(rabbitmq: RabbitMQ, amqp_url: str) -> None:
    app = Goatherd("short", broker_url=amqp_url, management_url=rabbitmq.management_url)
    seen: list[Check] = []

    async def is_found(state: str) -> bool:
        seen[:] = [check async for check in server_checks(app) if check.name == "broker"]
        return seen[0].state == state

    await until(lambda: is_found("well"), "a broker that is well")
    await asyncio.to_thread(rabbitmq.control, "set_disk_free_limit", "900000GB")
    await until(lambda: is_found("wrong"), "the alarm to be seen")
    assert "disk_free_limit at 900,000.0 GB" in seen[0].found
    assert "lower disk_free_limit" in seen[0].mend
