"""Resources of the topology operator: what is exported is what it knows, and comes back as it was."""

import re
import sys
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from hypothesis import given, settings

from goatherd.errors import DefinitionError, MissingExtra
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.operator_schema import check_resource
from goatherd.model.operator_yaml import Cluster, read_operator_yaml, write_operator_yaml
from tests.unit.model.blueprints import blueprints

CLUSTER = Cluster(name="rabbit", namespace="brokers")

CHAT = """\
apiVersion: rabbitmq.com/v1beta1
kind: Vhost
metadata: {name: eco2}
spec:
  name: eco2
  defaultQueueType: quorum
  rabbitmqClusterReference: {name: rabbit}
---
apiVersion: rabbitmq.com/v1beta1
kind: Exchange
metadata: {name: chat}
spec:
  name: chat
  vhost: eco2
  type: direct
  durable: true
  rabbitmqClusterReference: {name: rabbit}
---
apiVersion: rabbitmq.com/v1beta1
kind: Queue
metadata: {name: chat.process, labels: {team: chat}}
spec:
  name: chat.process
  vhost: eco2
  durable: true
  deleteIfEmpty: true
  arguments: {x-message-ttl: 3600000, x-dead-letter-exchange: dlx}
  rabbitmqClusterReference: {connectionSecret: {name: address}}
status: {observedGeneration: 1}
---
---
apiVersion: rabbitmq.com/v1beta1
kind: User
metadata: {name: somebody}
spec: {tags: [management]}
---
apiVersion: v1
kind: List
items:
- apiVersion: rabbitmq.com/v1beta1
  kind: Binding
  metadata: {name: chat-process}
  spec:
    source: chat
    destination: chat.process
    destinationType: queue
    routingKey: chat.process
    vhost: eco2
    rabbitmqClusterReference: {name: rabbit}
- apiVersion: rabbitmq.com/v1beta1
  kind: Policy
  metadata: {name: short}
  spec:
    name: short
    pattern: ^chat
    vhost: eco2
    definition: {max-length: 10}
    rabbitmqClusterReference: {name: rabbit}
"""


def test_what_operators_write_is_read_and_the_rest_is_noted() -> None:
    found = read_operator_yaml(CHAT, "chat.yaml")
    arguments = {"x-message-ttl": 3600000, "x-dead-letter-exchange": "dlx"}
    assert found.only("chat.yaml") == Blueprint(
        vhost="eco2",
        exchanges=(ExchangeSpec(name="chat", type="direct"),),
        queues=(QueueSpec(name="chat.process", arguments=arguments),),
        bindings=(BindingSpec(source="chat", destination="chat.process", key="chat.process"),),
        policies=(PolicySpec(name="short", pattern="^chat", definition={"max-length": 10}),),
    )
    assert found.notes == (
        "chat.yaml, document 1: spec.defaultQueueType of a Vhost is passed over.",
        "chat.yaml, document 5: passed over, because a User is no part of a topology.",
    )


def test_what_else_kubernetes_has_is_passed_over_and_noted() -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "address"}, "stringData": {"uri": "there"}}
    cluster = {"apiVersion": "rabbitmq.com/v1beta1", "kind": "RabbitmqCluster", "metadata": {"name": "rabbit"}}
    answer = {"apiVersion": "rabbitmq.com/v1beta1", "kind": "QueueList", "items": [_resource("Queue", name="a")]}
    found = read_operator_yaml(yaml.safe_dump_all([secret, cluster, answer]), "t.yaml")
    assert found.only("t.yaml").queue("a") is not None
    assert found.notes == (
        "t.yaml, document 1: passed over, because a Secret is no part of a topology.",
        "t.yaml, document 2: passed over, because a RabbitmqCluster is no part of a topology.",
    )


def test_what_is_not_said_is_what_the_operator_takes() -> None:
    queue = _resource("Queue", name="a")
    exchange = _resource("Exchange", name="a")
    found = read_operator_yaml(yaml.safe_dump_all([queue, exchange])).of("/")
    assert found.queues == (QueueSpec(name="a", durable=False),)
    assert found.exchanges == (ExchangeSpec(name="a", type="direct", durable=False),)


@settings(max_examples=40, deadline=None)
@given(blueprints(internal=False))
def test_what_is_exported_comes_back_and_is_what_the_operator_knows(blueprint: Blueprint) -> None:
    text = write_operator_yaml(blueprint, CLUSTER, namespace="apps")
    assert read_operator_yaml(text).of(blueprint.vhost) == blueprint
    resources = list(yaml.safe_load_all(text)) if text else []
    for resource in resources:
        check_resource(resource, "exported")
        assert resource["spec"]["rabbitmqClusterReference"] == {"name": "rabbit", "namespace": "brokers"}
        assert resource["metadata"]["namespace"] == "apps"
    names = [(each["kind"], each["metadata"]["name"]) for each in resources]
    assert len(set(names)) == len(names)
    assert write_operator_yaml(blueprint, CLUSTER, namespace="apps") == text


@pytest.mark.parametrize(
    "name", ["on", "1e3", "0o17", "1_000", "null", "~", "y", "2026-01-01", "0x1F", ".5", "=", "<<"]
)
def test_text_that_another_reader_could_take_for_something_else_is_in_quotes(name: str) -> None:
    text = write_operator_yaml(Blueprint(queues=(QueueSpec(name=name),)), CLUSTER)
    assert f'name: "{name}"' in text


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"durabel": True}, "there is no member spec.durabel"),
        ({"durable": "yes"}, "spec.durable is 'yes'; it must be true or false"),
        ({"name": 7}, "spec.name is 7; it must be text. Put it in quotes"),
        ({"name": ""}, "spec.name is empty"),
        ({"arguments": []}, r"spec.arguments is \[\]; it must be a mapping"),
        ({"arguments": {"x-queue-type": "quorum"}}, "say type="),
        ({"deletionPolicy": "keep"}, "use delete, retain"),
        ({"rabbitmqClusterReference": {}}, "either name or connectionSecret"),
        ({"rabbitmqClusterReference": {"name": "a", "connectionSecret": {"name": "b"}}}, "either name or conn"),
        ({"rabbitmqClusterReference": {"nam": "a"}}, "no member spec.rabbitmqClusterReference.nam"),
    ],
)
def test_what_is_wrong_is_named_with_document_and_member(change: dict[str, Any], said: str) -> None:
    fine, wrong = _resource("Queue", name="a"), _resource("Queue", name="b")
    wrong["spec"] |= change
    with pytest.raises(DefinitionError, match=f"t.yaml, document 2: .*{said}"):
        read_operator_yaml(yaml.safe_dump_all([fine, wrong]), "t.yaml")


@pytest.mark.parametrize(
    ("kind", "spec", "said"),
    [
        ("Policy", {"name": "p", "pattern": "^a", "definition": {}, "applyTo": "topics"}, "quorum_queues"),
        ("Policy", {"name": "p", "definition": {}}, "spec.pattern is missing"),
        ("Policy", {"name": "p", "pattern": "", "definition": {}, "priority": True}, "a whole number"),
        ("Binding", {"source": "a", "destination": "b", "destinationType": "topic"}, "use queue, exchange"),
        ("Binding", {"destination": "b", "destinationType": "queue"}, "spec.source is missing"),
        ("Vhost", {"name": "v", "limits": {"channels": 1}}, "no member spec.limits.channels"),
    ],
)
def test_every_kind_has_its_members(kind: str, spec: dict[str, Any], said: str) -> None:
    with pytest.raises(DefinitionError, match=f"document 1: .*{said}"):
        read_operator_yaml(yaml.safe_dump(_resource(kind, **spec)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kind: Queu\napiVersion: rabbitmq.com/v1beta1", "kind is 'Queu'; use Vhost, Exchange"),
        ("kind: Queue\napiVersion: rabbitmq.com/v1alpha2", "apiVersion is 'rabbitmq.com/v1alpha2'"),
        ("apiVersion: v1\nkind: User", "apiVersion is 'v1'"),
        ("apiVersion: rabitmq.com/v1beta1\nkind: Queue", "apiVersion is 'rabitmq.com/v1beta1'"),
        ("just text", "a resource is a mapping"),
        ("a: [", "no YAML that can be read"),
        ("a: !!python/object:os.system {}", "no YAML that can be read"),
        ("kind: Queue\nkind: Queue", "'kind' stands twice"),
        ("spec: {a: 1, a: 2}", "'a' stands twice"),
        ("? [a]\n: 1", "no YAML that can be read|no member"),
        ("when: 2026-99-99", "no YAML that can be read"),
    ],
)
def test_what_is_no_resource_is_refused(text: str, said: str) -> None:
    with pytest.raises(DefinitionError, match=said):
        read_operator_yaml(text)


def test_a_resource_with_a_name_that_kubernetes_refuses_is_refused() -> None:
    resource = _resource("Queue", name="a") | {"metadata": {"name": "Chat_Process"}}
    with pytest.raises(DefinitionError, match=r"metadata\.name is 'Chat_Process'"):
        read_operator_yaml(yaml.safe_dump(resource))


@pytest.mark.parametrize("value", ["&loop [*loop]", "[" * 30 + "]" * 30])
def test_an_argument_without_an_end_is_refused(value: str) -> None:
    text = yaml.safe_dump(_resource("Queue", name="a", arguments={"x": "here"})).replace("here", value)
    with pytest.raises(DefinitionError, match=r"document 1: .*nested more than 20 levels"):
        read_operator_yaml(text)


def test_text_that_is_nested_too_deep_to_be_read_is_refused() -> None:
    with pytest.raises(DefinitionError, match="no YAML that can be read"):
        read_operator_yaml("[" * 3000)


def test_two_documents_that_contradict_each_other_are_both_named() -> None:
    one, other = _resource("Queue", name="a"), _resource("Queue", name="a", durable=True)
    with pytest.raises(DefinitionError, match=r"durable=False in t.yaml, document 1 and True in t.yaml, document 2"):
        read_operator_yaml(yaml.safe_dump_all([one, other]), "t.yaml")


def test_a_file_about_two_virtual_hosts_gives_both() -> None:
    found = read_operator_yaml(yaml.safe_dump_all([_resource("Queue", name="a"), _resource("Vhost", name="v")]))
    assert found.of("v") == Blueprint(vhost="v")
    assert found.of("/").queue("a") is not None
    with pytest.raises(DefinitionError, match="several virtual hosts: '/', 'v'"):
        found.only("t.yaml")


def test_what_the_operator_cannot_say_is_not_exported() -> None:
    internal = Blueprint(exchanges=(ExchangeSpec(name="a", type="topic", internal=True),))
    with pytest.raises(DefinitionError, match="'a' is internal"):
        write_operator_yaml(internal, CLUSTER)


@pytest.mark.parametrize("cluster", [Cluster(), Cluster(name="a", connection_secret="b")])
def test_a_cluster_is_named_in_one_way(cluster: Cluster) -> None:
    with pytest.raises(DefinitionError, match="either a name or a connection secret"):
        write_operator_yaml(Blueprint(), cluster)


def test_a_secret_can_say_where_the_cluster_is() -> None:
    text = write_operator_yaml(Blueprint(vhost="v"), Cluster(connection_secret="address"))
    assert yaml.safe_load(text)["spec"]["rabbitmqClusterReference"] == {"connectionSecret": {"name": "address"}}


def test_names_stay_where_kubernetes_takes_them_and_get_a_mark_elsewhere() -> None:
    names = ("chat.process", "Chat.Process", "chat_process", "chat-process", "x" * 300, "...", "ü")
    text = write_operator_yaml(Blueprint(queues=tuple(QueueSpec(name=name) for name in names)), CLUSTER)
    made = {each["spec"]["name"]: each["metadata"]["name"] for each in yaml.safe_load_all(text)}
    assert made["chat.process"] == "chat.process"
    assert made["chat-process"] == "chat-process"
    assert re.fullmatch(r"chat\.process-[0-9a-f]{10}", made["Chat.Process"])
    assert re.fullmatch(r"chat-process-[0-9a-f]{10}", made["chat_process"])
    assert len(made["x" * 300]) == 253
    assert re.fullmatch(r"[0-9a-f]{10}", made["..."])
    # Somebody may have chosen just that.
    taken = Blueprint(queues=tuple(QueueSpec(name=name) for name in ("chat_process", made["chat_process"])))
    again = [each["metadata"]["name"] for each in yaml.safe_load_all(write_operator_yaml(taken, CLUSTER))]
    assert len(set(again)) == 2


def test_without_pyyaml_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(MissingExtra, match=r"goatherd\[yaml\]"):
        read_operator_yaml("")


def _resource(kind: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "rabbitmq.com/v1beta1",
        "kind": kind,
        "metadata": {"name": "some"},
        "spec": {"rabbitmqClusterReference": {"name": "rabbit"}} | spec,
    }
