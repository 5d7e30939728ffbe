"""What we make on a broker: contract queues exactly as their contract says, our own with everything they need."""

from collections.abc import Mapping
from typing import Any

import pytest
from pika.exceptions import ChannelClosedByBroker

from goatherd import Goatherd
from goatherd.errors import TopologyMismatch, Unavailable
from scripts.servers.management import Management
from tests.interop.pika_program import PikaProgram
from tests.interop.stage import Told

pytestmark = pytest.mark.servers

CONTRACTS: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
    "bare": ({}, {}),
    "ttl": ({"ttl": 300}, {"x-message-ttl": 300_000}),
    "length": ({"max_length": 7}, {"x-max-length": 7}),
    "dead-letter": (
        {"dead_letter": ("others", "dead")},
        {"x-dead-letter-exchange": "others", "x-dead-letter-routing-key": "dead"},
    ),
    "quorum": ({"type": "quorum"}, {"x-queue-type": "quorum"}),
    "arguments": (
        {"arguments": {"x-single-active-consumer": True, "x-max-priority": 5}, "ttl": 1.5},
        {"x-single-active-consumer": True, "x-max-priority": 5, "x-message-ttl": 1500},
    ),
}

DEAD_LETTERS_OF_THE_SHOP = {"x-dead-letter-exchange": "shop.dead.v1"}


@pytest.fixture
def app(url: str) -> Goatherd:
    return Goatherd("shop", broker_url=url)


def queues_on(broker: Management, virtual_host: str) -> dict[str, tuple[str, bool, dict[str, Any]]]:
    """Every queue with its kind, whether it is durable, and its arguments."""
    found = broker.ask("GET", f"queues/{virtual_host}?disable_stats=true&enable_queue_totals=true")
    return {queue["name"]: (queue["type"], queue["durable"], queue["arguments"]) for queue in found}


@pytest.mark.parametrize(("said", "made"), CONTRACTS.values(), ids=CONTRACTS)
async def test_a_contract_queue_has_exactly_the_arguments_it_names(
    app: Goatherd, broker: Management, virtual_host: str, said: Mapping[str, Any], made: Mapping[str, Any]
) -> None:
    app.queue("orders", **said)
    async with app:
        kind, durable, arguments = queues_on(broker, virtual_host)["orders"]
    assert (kind, durable, arguments) == ("quorum" if said.get("type") == "quorum" else "classic", True, made)


@pytest.mark.parametrize(("said", "made"), CONTRACTS.values(), ids=CONTRACTS)
async def test_pika_may_declare_a_contract_queue_before_and_after_us(
    app: Goatherd, pika: PikaProgram, said: Mapping[str, Any], made: Mapping[str, Any]
) -> None:
    pika.channel.queue_declare("orders", durable=True, arguments=dict(made))
    app.queue("orders", **said)
    async with app:
        pika.channel.queue_declare("orders", durable=True, arguments=dict(made))
    pika.channel.queue_declare("orders", durable=True, arguments=dict(made))


async def test_our_own_queues_are_quorum_and_lose_nothing(app: Goatherd, broker: Management, virtual_host: str) -> None:
    @app.task(queue="mail")
    async def send_mail(to: str) -> None: ...

    async with app:
        made = queues_on(broker, virtual_host)
    kind, durable, arguments = made["mail"]
    assert (kind, durable) == ("quorum", True)
    assert arguments == DEAD_LETTERS_OF_THE_SHOP | {
        "x-queue-type": "quorum", "x-delivery-limit": 1000, "x-dead-letter-strategy": "at-least-once",
        "x-overflow": "reject-publish",
    }  # fmt: skip
    # A look at a dead letter counts as a delivery, so their queue has no limit of any kind.
    assert made["shop.dead.v1"] == ("classic", True, {"x-queue-type": "classic"})


async def test_our_own_queues_can_be_classic(url: str, broker: Management, virtual_host: str) -> None:
    app = Goatherd("shop", broker_url=url, queue_type="classic")

    @app.task(queue="mail")
    async def send_mail(to: str) -> None: ...

    async with app:
        await send_mail.options(delay=0.2).send("a@b.c")
        made = queues_on(broker, virtual_host)
    assert made["mail"] == ("classic", True, DEAD_LETTERS_OF_THE_SHOP)
    assert {kind for kind, _, _ in made.values()} == {"classic"}


async def test_a_queue_that_differs_is_named_with_both_values(app: Goatherd, pika: PikaProgram) -> None:
    pika.channel.queue_declare("orders", durable=True, arguments={"x-message-ttl": 60_000})
    app.queue("orders", ttl=300)
    with pytest.raises(TopologyMismatch) as caught:
        async with app:
            pass
    told = caught.value
    assert (told.kind, told.name, told.argument) == ("queue", "orders", "ttl (x-message-ttl)")
    assert (told.wanted, told.found) == (300.0, 60.0)


async def test_a_queue_behind_an_exchange_gets_what_is_sent_there(app: Goatherd, pika: PikaProgram) -> None:
    pika.channel.exchange_declare("sales", "topic", durable=True)
    told = Told()

    @app.task(queue=app.queue("orders", format="plain", exchange="sales", routing_key="north.*"))
    async def cook(dish: str) -> None:
        told(dish)

    async with app.serve("worker"):
        pika.channel.basic_publish("sales", "north.7", b'{"dish": "soup"}')
        assert await told.next() == "soup"


async def test_what_we_send_goes_through_the_exchange_of_the_contract(app: Goatherd, pika: PikaProgram) -> None:
    pika.channel.exchange_declare("sales", "direct", durable=True)
    pika.channel.queue_declare("listener")
    pika.channel.queue_bind("listener", "sales", "cook")

    @app.task(queue=app.queue("orders", format="plain", exchange="sales", routing_key="cook"), remote=True)
    async def cook(dish: str) -> None:
        raise NotImplementedError

    async with app:
        await cook.send("soup")
        assert [pika.take(queue).json for queue in ("orders", "listener")] == [{"dish": "soup"}] * 2


async def test_an_exchange_that_is_not_there_is_named(app: Goatherd) -> None:
    app.queue("orders", exchange="sales")
    with pytest.raises(Unavailable, match="no exchange 'sales'"):
        async with app:
            pass


async def test_a_passive_queue_is_used_as_it_is(app: Goatherd, pika: PikaProgram) -> None:
    pika.channel.queue_declare("orders", durable=True, arguments={"x-max-length": 3})
    told = Told()

    @app.task(queue=app.queue("orders", format="plain", passive=True))
    async def cook(dish: str) -> None:
        told(dish)

    async with app.serve("worker"):
        pika.send("orders", {"dish": "soup"})
        assert await told.next() == "soup"


async def test_a_passive_queue_is_never_made(app: Goatherd, pika: PikaProgram) -> None:
    app.queue("orders", passive=True)
    with pytest.raises(Unavailable, match="no queue 'orders'"):
        async with app:
            pass
    with pytest.raises(ChannelClosedByBroker):
        pika.channel.queue_declare("orders", passive=True)
