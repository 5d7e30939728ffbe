"""Which dead letters get lost."""

import pytest

from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, QueueSpec
from goatherd.model.dead_ends import dead_ends


def why(kind: str, bound: str, key: str | None = None) -> list[str]:
    """Why those of a queue are lost that names an exchange of a kind, to which a queue is bound so."""
    arguments = {"x-dead-letter-exchange": "graves"} | ({} if key is None else {"x-dead-letter-routing-key": key})
    seen = Blueprint(
        exchanges=(ExchangeSpec(name="graves", type=kind),),
        queues=(QueueSpec(name="orders", arguments=arguments), QueueSpec(name="cemetery")),
        bindings=(BindingSpec(source="graves", destination="cemetery", key=bound),),
    )
    return [end.why for end in dead_ends(seen, ["orders", "unknown"])]


@pytest.mark.parametrize(
    ("kind", "bound", "key"),
    [
        ("direct", "orders", "orders"),
        ("direct", "anything", None),
        ("fanout", "", "orders"),
        ("headers", "", "orders"),
        ("topic", "#", "orders"),
        ("topic", "*.orders.#", "eu.orders"),
        ("topic", "*.orders.#", "eu.orders.late.very"),
    ],
)
def test_a_way_that_leads_somewhere(kind: str, bound: str, key: str | None) -> None:
    assert why(kind, bound, key) == []


@pytest.mark.parametrize(
    ("kind", "bound", "key"),
    [("direct", "order", "orders"), ("topic", "*.orders", "orders"), ("topic", "*", "eu.orders")],
)
def test_a_key_that_nobody_wants(kind: str, bound: str, key: str) -> None:
    assert why(kind, bound, key) == ["no queue is bound to it with that key"]


def test_the_default_exchange_leads_to_the_queue_of_that_name() -> None:
    arguments = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "cemetery"}
    orders = QueueSpec(name="orders", arguments=arguments)
    [end] = dead_ends(Blueprint(queues=(orders,)), ["orders"])
    assert (end.way, end.why) == ("the default exchange with the key 'cemetery'", "there is no queue 'cemetery'")
    assert list(dead_ends(Blueprint(queues=(orders, QueueSpec(name="cemetery"))), ["orders"])) == []


def test_an_exchange_that_has_another_way_out_loses_nothing() -> None:
    graves = ExchangeSpec(name="graves", type="direct", arguments={"alternate-exchange": "others"})
    orders = QueueSpec(name="orders", arguments={"x-dead-letter-exchange": "graves"})
    assert list(dead_ends(Blueprint(exchanges=(graves,), queues=(orders,)), ["orders"])) == []
