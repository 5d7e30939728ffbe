"""Jobs come to the queues of an app by the app's own exchange, and to all others as their contract says."""

import asyncio

import pytest

from goatherd import Goatherd, Unavailable
from scripts.servers.management import Management
from tests.interop.pika_program import PikaProgram
from tests.interop.stage import Told

pytestmark = pytest.mark.servers


def shop(url: str, told: Told) -> Goatherd:
    app = Goatherd("shop", broker_url=url)

    @app.task(queue="mail")
    async def greet(name: str) -> None:
        told(name)

    @app.task(queue=app.queue("orders", format="plain"))
    async def cook(dish: str) -> None:
        told(dish)

    return app


def make_anew(pika: PikaProgram, queue: str) -> None:
    """As an operator does who knows nothing of bindings."""
    arguments = {
        "x-dead-letter-exchange": "shop.dead.v1",
        "x-queue-type": "quorum",
        "x-delivery-limit": 1000,
        "x-dead-letter-strategy": "at-least-once",
        "x-overflow": "reject-publish",
    }
    pika.channel.queue_declare(queue, durable=True, arguments=arguments)


async def test_which_exchange_a_job_comes_by(url: str, pika: PikaProgram) -> None:
    async with (app := shop(url, Told())):
        await app.tasks["greet"].send("Ada")
        await app.tasks["greet"].options(delay=0.1).send("Grace")
        await app.tasks["cook"].send("soup")
    assert _way(pika, "mail") == ("shop.work.v1", "mail")
    assert _way(pika, "mail") == ("shop.due.v1", "100.mail")
    assert _way(pika, "orders") == ("", "orders")


async def test_a_queue_that_was_made_anew_is_found_again(
    url: str, pika: PikaProgram, caplog: pytest.LogCaptureFixture
) -> None:
    told = Told()
    async with (app := shop(url, told)):
        pika.channel.queue_delete("mail")
        make_anew(pika, "mail")
        await app.tasks["greet"].send("Ada")
        await app.tasks["greet"].options(delay=0.1).send("Grace")
        async with app.serve("worker"):
            assert {await told.next(), await told.next()} == {"Ada", "Grace"}
    assert "it was bound to 'shop.work.v1' again" in caplog.text


async def test_the_exchange_is_made_again_with_the_next_job(url: str, pika: PikaProgram) -> None:
    told = Told()
    async with (app := shop(url, told)).serve("worker"):
        pika.channel.exchange_delete("shop.work.v1")
        await app.tasks["greet"].send("Ada")
        assert await told.next() == "Ada"


async def test_a_worker_whose_queue_was_made_anew_lets_delayed_jobs_find_it(
    url: str, pika: PikaProgram, caplog: pytest.LogCaptureFixture
) -> None:
    told = Told()
    async with (app := shop(url, told)).serve("worker"):
        await app.tasks["greet"].send("Ada")
        assert await told.next() == "Ada"
        pika.channel.queue_delete("mail")
        async with asyncio.timeout(20):
            # RabbitMQ itself confuses a quorum queue with another one that follows at once under its name.
            while "The consumer of queue 'mail' has ended" not in caplog.text:
                await asyncio.sleep(0.05)
            make_anew(pika, "mail")
            while not pika.channel.queue_declare("mail", passive=True).method.consumer_count:
                await asyncio.sleep(0.05)
        await app.tasks["greet"].options(delay=0.1).send("Grace")
        assert await told.next() == "Grace"


async def test_a_queue_that_is_gone_is_told(url: str, pika: PikaProgram) -> None:
    async with (app := shop(url, Told())):
        pika.channel.queue_delete("mail")
        with pytest.raises(Unavailable, match="There is no queue 'mail' on the broker"):
            await app.tasks["greet"].send("Ada")


async def test_what_the_topology_describes_is_made_and_made_again(
    url: str, broker: Management, virtual_host: str, pika: PikaProgram
) -> None:
    app = shop(url, told := Told())
    app.topology.exchange("sales", "topic")
    app.topology.exchange("all", "fanout", durable=False)
    app.topology.bind("sales", "all", "#")
    app.topology.bind("sales", "orders", "north.*")
    async with app.serve("worker"):
        pika.channel.basic_publish("sales", "north.1", b'{"dish": "soup"}', mandatory=True)
        assert await told.next() == "soup"
        pika.channel.exchange_delete("sales")
        for name in ("shop publish", "shop consume"):
            [connection] = await _connections(broker, virtual_host, name)
            await asyncio.to_thread(broker.hang_up, connection)
        async with asyncio.timeout(20):
            while not await _leads(broker, virtual_host, "sales", "orders"):
                await asyncio.sleep(0.1)
        pika.channel.basic_publish("sales", "north.2", b'{"dish": "bread"}', mandatory=True)
        assert await told.next() == "bread"


def _way(pika: PikaProgram, queue: str) -> tuple[str, str]:
    method = pika.take(queue).method
    return method.exchange, method.routing_key


async def _connections(broker: Management, virtual_host: str, name: str) -> list[str]:
    # The broker tells operators of a connection a moment after it was made.
    async with asyncio.timeout(20):
        while not (found := await asyncio.to_thread(broker.connections, virtual_host, name)):
            await asyncio.sleep(0.1)
    return list(found)


async def _leads(broker: Management, virtual_host: str, exchange: str, queue: str) -> bool:
    found = await asyncio.to_thread(broker.ask, "GET", f"bindings/{virtual_host}")
    return any((each["source"], each["destination"]) == (exchange, queue) for each in found)
