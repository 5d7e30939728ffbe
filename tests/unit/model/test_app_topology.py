"""What an app says about its broker besides its queues becomes one blueprint."""

import json
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from goatherd.errors import DefinitionError
from goatherd.model.app_topology import Topology
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.operator_yaml import Cluster, write_operator_yaml
from goatherd.model.topology import Queue

CLUSTER = Cluster(name="rabbit")


def test_what_is_said_in_code_becomes_a_blueprint() -> None:
    topology = Topology()
    topology.exchange("sales", "topic", durable=False, arguments={"alternate-exchange": "lost"})
    topology.exchange("lost", "fanout")
    topology.bind("sales", "orders", "north.*", arguments={"x": "y"})
    topology.bind("sales", "lost", "#")
    topology.bind("sales", Queue(name="lost"), "#")
    topology.policy("short", "^orders", {"max-length": 9}, apply_to="queues", priority=2)
    assert topology.blueprint("v") == Blueprint(
        vhost="v",
        exchanges=(
            ExchangeSpec(name="sales", type="topic", durable=False, arguments={"alternate-exchange": "lost"}),
            ExchangeSpec(name="lost", type="fanout"),
        ),
        bindings=(
            BindingSpec(source="sales", destination="orders", key="north.*", arguments={"x": "y"}),
            BindingSpec(source="sales", destination="lost", destination_type="exchange", key="#"),
            BindingSpec(source="sales", destination="lost", key="#"),
        ),
        policies=(
            PolicySpec(name="short", pattern="^orders", apply_to="queues", definition={"max-length": 9}, priority=2),
        ),
    )


def test_a_queue_learns_all_of_its_exchange() -> None:
    topology = Topology()
    topology.exchange("sales", "topic", durable=False, arguments={"alternate-exchange": "lost"})
    queue = topology.with_exchange(Queue(name="orders", exchange="sales"))
    assert (queue.exchange_type, queue.exchange_durable) == ("topic", False)
    assert queue.exchange_arguments == {"alternate-exchange": "lost"}


def test_what_contradicts_itself_is_refused() -> None:
    topology = Topology()
    topology.exchange("sales", "topic")
    topology.policy("short", "^a", {"max-length": 1})
    with pytest.raises(DefinitionError, match="described twice, and not alike"):
        topology.exchange("sales", "topic", durable=False)
    with pytest.raises(DefinitionError, match="described twice, and not alike"):
        topology.policy("short", "^a", {"max-length": 2})
    with pytest.raises(DefinitionError, match="without a name"):
        topology.exchange("", "topic")
    with pytest.raises(DefinitionError, match="without a name"):
        topology.bind("", "orders")


def test_files_are_added_in_either_format(tmp_path: Path) -> None:
    queue, exchange = QueueSpec(name="orders", type="quorum"), ExchangeSpec(name="sales", type="topic")
    operator = tmp_path / "topology.yaml"
    operator.write_text(write_operator_yaml(Blueprint(vhost="eco2", queues=(queue,)), CLUSTER))
    definitions = tmp_path / "definitions.json"
    definitions.write_text('{"exchanges": [{"name": "sales", "type": "topic"}]}')
    topology = Topology()
    topology.load(operator)
    topology.load(str(definitions))
    topology.bind("sales", "orders")
    assert topology.blueprint("eco2") == Blueprint(
        vhost="eco2",
        exchanges=(exchange,),
        queues=(queue,),
        bindings=(BindingSpec(source="sales", destination="orders"),),
    )
    with pytest.raises(DefinitionError, match=r"topology.yaml is about the virtual host 'eco2', but .* names '/'"):
        topology.blueprint("/")


def test_what_a_file_is_is_seen_in_it_and_not_in_its_name(tmp_path: Path) -> None:
    queue, exchange = QueueSpec(name="orders", type="quorum"), ExchangeSpec(name="sales", type="topic")
    resources = list(yaml.safe_load_all(write_operator_yaml(Blueprint(queues=(queue,)), CLUSTER)))
    as_json = tmp_path / "kubectl.json"
    as_json.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": resources}))
    export = tmp_path / "export.yaml"
    export.write_text('\ufeff{"exchanges": [{"name": "sales", "type": "topic"}]}', encoding="utf-8")
    topology = Topology()
    topology.load(as_json)
    topology.load(export)
    assert topology.blueprint("/") == Blueprint(exchanges=(exchange,), queues=(queue,))


@pytest.mark.parametrize("text", ["", "---\n", "{}", '{"users": [{"name": "guest"}]}'])
def test_a_file_with_nothing_in_it_is_taken_for_a_mistake(tmp_path: Path, text: str) -> None:
    file = tmp_path / "topology.yaml"
    file.write_text(text)
    with pytest.raises(DefinitionError, match=r"topology.yaml says nothing about a topology. Is it the right file\?"):
        Topology().load(file)


def test_what_a_file_says_of_one_virtual_host_can_be_wanted_in_another(tmp_path: Path) -> None:
    queue = QueueSpec(name="orders", type="quorum")
    file = tmp_path / "topology.yaml"
    file.write_text(write_operator_yaml(Blueprint(vhost="eco2", queues=(queue,)), CLUSTER))
    topology = Topology()
    topology.load(file, vhost="eco2")
    for vhost in ("eco2", "/", "trial"):
        assert topology.blueprint(vhost) == Blueprint(vhost=vhost, queues=(queue,))
    with pytest.raises(DefinitionError, match=r"says nothing about the virtual host 'eco3'; it is about 'eco2'"):
        topology.load(file, vhost="eco3")


def test_a_file_that_says_otherwise_than_the_code_is_named(tmp_path: Path) -> None:
    file = tmp_path / "topology.yaml"
    file.write_text(write_operator_yaml(Blueprint(exchanges=(ExchangeSpec(name="sales", type="topic"),)), CLUSTER))
    topology = Topology()
    topology.exchange("sales", "direct")
    topology.load(file)
    with pytest.raises(DefinitionError, match=r"type='direct' in the code and 'topic' in .*topology.yaml"):
        topology.blueprint("/")


@pytest.mark.parametrize(("name", "text"), [("t.yaml", "a: ["), ("t.json", "{"), ("t.yaml", None), ("t.yaml", b"\xff")])
def test_a_file_that_cannot_be_read_is_refused_at_once(tmp_path: Path, name: str, text: str | bytes | None) -> None:
    if text is not None:
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(DefinitionError, match=name):
        Topology().load(tmp_path / name)
