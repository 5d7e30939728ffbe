"""`goatherd top` before a frozen broker: it says so, goes on, and can be left."""

import asyncio

import pytest

from goatherd import Goatherd
from goatherd.cli.top_parts import TopParts
from goatherd.cli.top_sources import running
from scripts.servers.rabbitmq import RabbitMQ
from tests.faults.watching import until

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("harmed broker")]

#: Seconds in which it can be left on a slow machine, too.
LEFT_WITHIN = 30.0


@pytest.mark.timeout(150)
async def test_a_frozen_broker(rabbitmq: RabbitMQ, amqp_url: str) -> None:
    app = Goatherd("top", broker_url=amqp_url, management_url=rabbitmq.management_url)

    @app.task
    async def work() -> None: ...

    parts = TopParts(app)
    loop = asyncio.get_running_loop()
    async with running(parts.sources):
        await until(lambda: parts.look().queues is not None, "the queues to be seen")
        await until(lambda: not parts.look().troubles, "the rates to be seen")
        rabbitmq.freeze()
        await until(lambda: set(parts.look().troubles) == {"queues", "rates"}, "both to be missed")
        assert parts.look().queues is not None, "the last that was seen stays"
        rabbitmq.thaw()
        await until(lambda: not parts.look().troubles, "it to be seen again")
        rabbitmq.freeze()
        left = loop.time()
    assert loop.time() - left < LEFT_WITHIN
