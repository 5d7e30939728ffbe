"""RabbitMQ's export of definitions: what was exported by a broker is read, and what we write comes back."""

import json
from typing import Any

import pytest
from hypothesis import given, settings

from goatherd.errors import DefinitionError
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.definitions_json import read_definitions, write_definitions
from tests.unit.model.blueprints import blueprints

#: As RabbitMQ 3.10 exports one virtual host.
ONE: dict[str, Any] = {
    "rabbit_version": "3.10.8",
    "parameters": [],
    "policies": [
        {
            "vhost": "shop", "name": "short", "pattern": "^q", "apply-to": "queues",
            "definition": {"max-length": 10}, "priority": 3,
        },
    ],
    "queues": [
        {"name": "st", "durable": True, "auto_delete": False, "arguments": {"x-queue-type": "stream"}},
        {"name": "tr", "durable": False, "auto_delete": True, "arguments": {"x-expires": 600000}},
    ],
    "exchanges": [
        {
            "name": "ex", "type": "topic", "durable": True, "auto_delete": False, "internal": True,
            "arguments": {"alternate-exchange": "amq.fanout"},
        },
    ],
    "bindings": [
        {"source": "amq.topic", "destination": "ex", "destination_type": "exchange", "routing_key": "k",
         "arguments": {}},
        {"source": "ex", "destination": "st", "destination_type": "queue", "routing_key": "a.#", "arguments": {"x": 1}},
    ],
}  # fmt: skip

SHOP = Blueprint(
    vhost="shop",
    exchanges=(
        ExchangeSpec(name="ex", type="topic", internal=True, arguments={"alternate-exchange": "amq.fanout"}),
    ),
    queues=(
        QueueSpec(name="st", type="stream"),
        QueueSpec(name="tr", durable=False, auto_delete=True, arguments={"x-expires": 600000}),
    ),
    bindings=(
        BindingSpec(source="amq.topic", destination="ex", destination_type="exchange", key="k"),
        BindingSpec(source="ex", destination="st", key="a.#", arguments={"x": 1}),
    ),
    policies=(
        PolicySpec(name="short", pattern="^q", apply_to="queues", definition={"max-length": 10}, priority=3),
    ),
)  # fmt: skip


def test_the_export_of_one_virtual_host_is_read() -> None:
    found = read_definitions(json.dumps(ONE), "shop.json")
    assert found.only("shop.json") == SHOP
    assert found.notes == ()


def test_the_export_of_a_cluster_is_read_host_by_host() -> None:
    whole = {section: ONE[section] for section in ("policies", "queues", "exchanges", "bindings")}
    whole = {name: [each | {"vhost": "shop"} for each in items] for name, items in whole.items()}
    whole |= {"rabbitmq_version": "3.10.8", "vhosts": [{"name": "shop"}, {"name": "/"}], "users": [{"name": "guest"}]}
    found = read_definitions(json.dumps(whole).encode(), "all.json")
    assert found.blueprints == {"shop": SHOP, "/": Blueprint()}
    assert found.notes == ("all.json: users is passed over, because it is no part of a topology.",)


def test_whose_an_export_is_can_be_said() -> None:
    queues = {"queues": [{"name": "a"}]}
    with pytest.raises(DefinitionError, match=r"d\.json, queues 1: vhost is missing"):
        read_definitions(json.dumps(queues), "d.json")
    assert read_definitions(json.dumps(queues), vhost="v").of("v").queues == (QueueSpec(name="a"),)
    newer = queues | {"original_vhost_name": "w"}
    assert read_definitions(json.dumps(newer)).of("w").queues == (QueueSpec(name="a"),)


def test_newer_brokers_say_the_type_of_a_queue_twice() -> None:
    queue = {"name": "a", "vhost": "/", "type": "quorum", "arguments": {"x-queue-type": "quorum"}}
    assert read_definitions(json.dumps({"queues": [queue]})).of("/").queues == (QueueSpec(name="a", type="quorum"),)
    wrong = queue | {"type": "classic"}
    with pytest.raises(DefinitionError, match=r"queues 1: type is 'classic', but arguments.x-queue-type is 'quorum'"):
        read_definitions(json.dumps({"queues": [wrong]}))


@settings(max_examples=50, deadline=None)
@given(blueprints())
def test_what_is_written_comes_back(blueprint: Blueprint) -> None:
    text = write_definitions(blueprint)
    assert read_definitions(text).blueprints == {blueprint.vhost: blueprint}
    assert write_definitions(read_definitions(text).only("it")) == text


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("[]", "no export of definitions"),
        ("[" * 100_000, "no JSON that can be read"),
        ("{", "no JSON that can be read"),
        ('{"queues": {}}', "queues is {}; it must be a list"),
        ('{"queues": [1]}', "queues 1: it is 1; it must be a mapping"),
        ('{"queues": [{"nam": "a"}]}', "queues 1: there is no member nam"),
        ('{"queues": [{"vhost": "/"}]}', "queues 1: name is missing"),
        ('{"vhosts": ["/"]}', "vhosts 1: name is missing"),
        ('{"exchanges": [{"name": "a", "vhost": "/", "type": "topic", "durable": 1}]}', "durable is 1"),
        ('{"queues": [{"name":"a","vhost":"/","arguments":{"x":99999999999999999999}}]}', "queues 1: .*64 bits"),
        (
            '{"bindings": [{"source": "a", "destination": "b", "vhost": "/", "destination_type": "e"}]}',
            "bindings 1: destination_type is 'e'; use queue, exchange",
        ),
    ],
)
def test_what_is_wrong_is_named(told: str, said: str) -> None:
    with pytest.raises(DefinitionError, match=said):
        read_definitions(told)
