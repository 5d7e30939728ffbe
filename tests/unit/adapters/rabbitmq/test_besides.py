"""What an app's topology describes is made with its queues; what differs is told and keeps nothing else waiting."""

import pytest

from goatherd.adapters.rabbitmq.layout import Layout
from goatherd.adapters.rabbitmq.link import Link
from goatherd.errors import TopologyMismatch
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, QueueSpec
from goatherd.model.topology import Queue
from tests.unit.adapters.rabbitmq.books import Books, again, connected
from tests.unit.adapters.rabbitmq.scripted_server import ScriptedServer

SALES = Blueprint(
    exchanges=(ExchangeSpec(name="sales", type="topic"), ExchangeSpec(name="amq.topic", type="topic")),
    queues=(QueueSpec(name="copies"),),
    bindings=(
        BindingSpec(source="sales", destination="orders", key="north.*"),
        BindingSpec(source="sales", destination="copies", key="#"),
        BindingSpec(source="amq.topic", destination="sales", destination_type="exchange", key="sales"),
        BindingSpec(source="", destination="copies", key="copies"),
    ),
)
ORDERS = Queue(name="orders", contract=True)
MADE = {
    "exchange sales",
    "queue copies",
    "sales -north.*-> orders",
    "sales -#-> copies",
    "amq.topic -sales-> exchange sales",
}


def besides(made: list[str]) -> list[str]:
    """Without what every app has."""
    return [each for each in made if "shop." not in each and each != "queue orders"]


async def test_everything_is_made_and_nothing_that_the_broker_makes_itself(
    link: Link, server: ScriptedServer, books: Books
) -> None:
    await connected(link, server, books)
    await Layout([link], "shop", "create", "quorum", SALES).declare([ORDERS])
    made = besides(books.made)
    assert sorted(made) == sorted(MADE)
    assert made[:2] == ["exchange sales", "queue copies"], "before anything is bound"


@pytest.mark.parametrize("mode", ["check", "never"])
async def test_nothing_is_made_where_somebody_else_does_that(
    link: Link, server: ScriptedServer, books: Books, mode: str
) -> None:
    await connected(link, server, books)
    books.queues |= {"orders", "shop.dead.v1"}
    layout = Layout([link], "shop", "check" if mode == "check" else "never", "quorum", SALES)
    await layout.declare([ORDERS])
    assert not {"exchange sales", "queue copies"} & {*books.made}
    assert not [each for each in books.made if "->" in each]


async def test_all_of_it_is_made_again_after_a_loss_but_not_for_every_new_queue(
    link: Link, server: ScriptedServer, books: Books
) -> None:
    talk = await connected(link, server, books)
    layout = Layout([link], "shop", "create", "quorum", SALES)
    await layout.declare([ORDERS])
    books.made.clear()
    await layout.declare([Queue(name="other", contract=True)])
    assert besides(books.made) == ["queue other"]
    books.made.clear()
    books.queues.clear()
    talk.cut()
    await again(link, server, books)
    assert {*books.made} >= MADE


async def test_what_differs_is_told_when_all_the_rest_is_made(
    link: Link, server: ScriptedServer, books: Books, caplog: pytest.LogCaptureFixture
) -> None:
    talk = await connected(link, server, books)
    layout = Layout([link], "shop", "create", "quorum", SALES)
    books.refused.add("sales")
    with pytest.raises(TopologyMismatch, match="'sales' exists with type = 'headers'"):
        await layout.declare([ORDERS])
    assert {*besides(books.made)} == MADE - {"exchange sales"}
    assert "orders" in books.queues
    talk.cut()
    await again(link, server, books)
    assert "'sales' exists with type = 'headers'" in caplog.text, "jobs go on without it, and it is told"


async def test_what_cannot_be_bound_yet_is_bound_when_its_queue_comes(
    link: Link, server: ScriptedServer, books: Books, caplog: pytest.LogCaptureFixture
) -> None:
    await connected(link, server, books)
    layout = Layout([link], "shop", "create", "quorum", SALES)
    for name in ("first", "second"):
        await layout.declare([Queue(name=name, contract=True)])
    assert caplog.text.count("The queue 'orders' cannot be bound to the exchange 'sales' yet") == 1
    books.made.clear()
    await layout.declare([ORDERS])
    assert [each for each in books.made if each.startswith("sales")] == ["sales -north.*-> orders"]


async def test_a_listeners_queue_that_is_made_anew_is_bound_anew(
    link: Link, server: ScriptedServer, books: Books
) -> None:
    await connected(link, server, books)
    layout = Layout([link], "shop", "create", "quorum", SALES)
    await layout.declare([ORDERS])
    layout.listen("orders")
    for there in ({"orders"}, set[str]()):
        books.queues = there
        books.made.clear()
        await layout.have("orders", again=True)
        assert "sales -north.*-> orders" in books.made
