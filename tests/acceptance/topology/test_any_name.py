"""Names of queues and exchanges are any text that brokers allow."""

import asyncio

import pytest

from goatherd import Goatherd, Task
from goatherd.definition import definition_of
from goatherd.engine.topology.applying import Applying
from goatherd.wiring import open_plumbing
from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import with_virtual_host

pytestmark = [pytest.mark.servers("rabbitmq"), pytest.mark.xdist_group("topology-cli")]

QUEUE, EXCHANGE = "Größe (groß) ✓", "Straße → Haus"
#: Seconds for what takes a moment.
PATIENCE = 30.0


def herd(url: str, done: asyncio.Event, max_length: int | None = None) -> tuple[Goatherd, Task[[str], None]]:
    app = Goatherd("herd", broker_url=url, management_url=management().url)
    app.topology.exchange(EXCHANGE, "direct")

    @app.task(name="measure", queue=app.queue(QUEUE, exchange=EXCHANGE, type="classic", max_length=max_length))
    async def measure(goat: str) -> None:
        done.set()

    return app, measure


async def test_a_queue_is_made_used_and_replaced_whatever_it_is_called() -> None:
    with management().virtual_host() as virtual_host:
        url, done = with_virtual_host(amqp_url(), virtual_host), asyncio.Event()
        before, measure = herd(url, done)
        async with before:
            await measure.send("Heidi")
            assert await before.session().ports.operations.purge(QUEUE) == 1
            await measure.send("Heidi")
        after, _ = herd(url, done, max_length=1000)
        async with open_plumbing(after.settings) as plumbing:
            applied = await Applying(plumbing, definition_of(after), lambda progress: None).run()
            assert [(each.change, each.name) for each in applied.done] == [("replace queue", QUEUE)]
            assert applied.left == []
        async with asyncio.timeout(PATIENCE), after.serve("worker"):
            await done.wait()
