"""The doctor notices a broker that is short of disk or memory, and the commands that it names help."""

import asyncio
import re
from collections.abc import Iterator

import pytest

from goatherd import Goatherd
from goatherd.cli.check import Check
from goatherd.cli.server_checks import server_checks
from scripts.servers.rabbitmq import RabbitMQ
from tests.faults.watching import until

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("harmed broker")]


@pytest.fixture
def limits(rabbitmq: RabbitMQ) -> Iterator[None]:
    yield
    rabbitmq.control(
        "eval", 'rabbit_disk_monitor:set_disk_free_limit("50MB"), vm_memory_monitor:set_vm_memory_high_watermark(0.4).'
    )


class Doctor:
    """Looks at a broker again and again."""

    def __init__(self, rabbitmq: RabbitMQ, url: str) -> None:
        self._rabbitmq = rabbitmq
        self._app = Goatherd("short", broker_url=url, management_url=rabbitmq.management_url)

    async def finds(self, *states: str) -> Check:
        """What is said of the broker as soon as it is one of these."""
        seen: list[Check] = []

        async def is_found() -> bool:
            seen[:] = [check async for check in server_checks(self._app) if check.name == "broker"]
            return seen[0].state in states

        await until(is_found, f"a broker that is {' or '.join(states)}")
        return seen[0]

    async def control(self, *arguments: str) -> None:
        await asyncio.to_thread(self._rabbitmq.control, *arguments)

    async def mend(self, check: Check) -> None:
        """Do what it says."""
        [command] = re.findall(r"`rabbitmqctl ([^`]+)`", check.mend)
        await self.control(*command.split())


@pytest.mark.timeout(120)
@pytest.mark.usefixtures("limits")
async def test_a_disk_that_is_short(rabbitmq: RabbitMQ, amqp_url: str) -> None:
    doctor = Doctor(rabbitmq, amqp_url)
    await doctor.finds("well")
    await doctor.control("set_disk_free_limit", "900000GB")
    check = await doctor.finds("wrong")
    assert "disk_free_limit at 900,000.0 GB" in check.found
    await doctor.mend(check)
    await doctor.finds("well", "warning")


@pytest.mark.timeout(120)
@pytest.mark.usefixtures("limits")
async def test_memory_that_is_short(rabbitmq: RabbitMQ, amqp_url: str) -> None:
    doctor = Doctor(rabbitmq, amqp_url)
    await doctor.control("set_vm_memory_high_watermark", "absolute", "1MB")
    check = await doctor.finds("wrong")
    assert "has its memory alarm on" in check.found
    await doctor.mend(check)
    await doctor.finds("well", "warning")
