"""An app's blueprint is what its broker then has, and the broker takes and gives back the files that we write."""

import json
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import quote

import pytest

from goatherd import Goatherd
from goatherd.errors import DefinitionError
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.dead_letter import DeadLetter
from goatherd.model.definitions_json import read_definitions, write_definitions
from goatherd.model.operator_yaml import Cluster, write_operator_yaml
from goatherd.wiring.blueprints import app_blueprint
from scripts.servers.management import Management

QueueType: TypeAlias = Literal["quorum", "classic"]

pytestmark = [pytest.mark.servers("rabbitmq"), pytest.mark.xdist_group("rabbitmq")]


def exported(broker: Management, virtual_host: str) -> Blueprint:
    told = broker.ask("GET", f"definitions/{quote(virtual_host, safe='')}")
    return read_definitions(json.dumps(told), vhost=virtual_host).of(virtual_host)


def an_app(url: str, queue_type: QueueType) -> Goatherd:
    app = Goatherd("shop", broker_url=url, queue_type=queue_type)
    app.topology.exchange("sales", "topic", durable=False, arguments={"alternate-exchange": "lost"})
    orders = app.queue("orders", format="plain", exchange="sales", routing_key="north.*", ttl=60, max_length=9)
    dead = app.queue(
        "cancelled", format="plain", dead_letter=("graveyard", "cancelled"), arguments={"x-expires": 600000}
    )

    @app.task(queue=orders)
    async def order(number: int) -> None: ...

    @app.task(queue=dead)
    async def cancel(number: int) -> None: ...

    @app.task
    async def greet(name: str) -> None: ...

    @app.on_dead_letter
    async def tell(letter: DeadLetter) -> None: ...

    return app


@pytest.mark.parametrize("queue_type", ["quorum", "classic"])
async def test_what_an_app_makes_is_what_its_blueprint_says(
    broker: Management, virtual_host: str, url: str, queue_type: QueueType
) -> None:
    app = an_app(url, queue_type)
    async with app:
        await greet_later(app)
        made = exported(broker, virtual_host)
    waits = [int(name) for queue in made.queues if (name := queue.name.removeprefix("shop.hold.v1.")).isdigit()]
    assert len(waits) == 1
    own = [queue for queue in made.queues if not queue.name.startswith("shop.reply.v1.")]
    wanted = app_blueprint(app.settings, app.contracts(), app.topology, waits)
    assert wanted == Blueprint(
        vhost=virtual_host, exchanges=made.exchanges, queues=tuple(own), bindings=made.bindings, policies=made.policies
    )


async def greet_later(app: Goatherd) -> None:
    """So that a hold queue is there."""
    await app.tasks["greet"].options(delay=30).send("Ada")


def test_the_broker_takes_what_we_write_and_gives_it_back(broker: Management, virtual_host: str) -> None:
    blueprint = Blueprint(
        vhost=virtual_host,
        exchanges=(
            ExchangeSpec(name="sales", type="topic", arguments={"alternate-exchange": "amq.fanout"}),
            ExchangeSpec(name="inner", type="headers", durable=False, auto_delete=True, internal=True),
        ),
        queues=(
            QueueSpec(name="orders", type="quorum", arguments={"x-delivery-limit": 5, "x-overflow": "reject-publish"}),
            QueueSpec(name="history", type="stream", arguments={"x-max-age": "7D"}),
            QueueSpec(name="plain", arguments={"x-message-ttl": 5, "x-single-active-consumer": True}),
            QueueSpec(name="brief", durable=False, auto_delete=True, arguments={"x-expires": 600000}),
        ),
        bindings=(
            BindingSpec(source="sales", destination="orders", key="a.#"),
            BindingSpec(source="sales", destination="inner", destination_type="exchange", key="b"),
            BindingSpec(source="inner", destination="plain", arguments={"x-match": "all", "size": 3, "big": True}),
            BindingSpec(source="inner", destination="plain", arguments={"x-match": "any", "weight": 1.5}),
        ),
        policies=(PolicySpec(name="short", pattern="^p", apply_to="queues", definition={"max-length": 3}, priority=7),),
    )
    broker.ask("POST", "definitions", json.loads(write_definitions(blueprint)))
    assert exported(broker, virtual_host) == blueprint


def test_a_file_that_contradicts_the_tasks_is_named(url: str, virtual_host: str, tmp_path: Path) -> None:
    file = tmp_path / "topology.yaml"
    orders = QueueSpec(name="orders", arguments={"x-message-ttl": 5, "x-max-length": 9})
    file.write_text(write_operator_yaml(Blueprint(vhost=virtual_host, queues=(orders,)), Cluster(name="rabbit")))
    app = an_app(url, "quorum")
    app.topology.load(file)
    with pytest.raises(DefinitionError, match=r"'orders' has arguments.x-message-ttl=60000 in the app 'shop' and 5 in"):
        app_blueprint(app.settings, app.contracts(), app.topology)


def test_only_rabbitmq_has_a_topology(tmp_path: Path) -> None:
    app = Goatherd("shop", broker_url=f"sqlite:///{tmp_path}/shop.db")
    with pytest.raises(DefinitionError, match="Only RabbitMQ"):
        app_blueprint(app.settings, app.contracts(), app.topology)
