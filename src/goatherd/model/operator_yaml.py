"""Blueprints from and to resources of RabbitMQ's Messaging Topology Operator."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from goatherd.errors import DefinitionError
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.broker_arguments import Arguments
from goatherd.model.imported import Collected, Imported, Piece
from goatherd.model.operator_schema import API_VERSION, OTHER_KINDS, SPECS, check_resource
from goatherd.model.resource_names import ResourceNames
from goatherd.model.yaml_text import read_documents, write_documents

#: What the operator takes where a resource says nothing.
_DEFAULT_VHOST, _DEFAULT_EXCHANGE_TYPE = "/", "direct"
#: What a Vhost says that a blueprint cannot hold.
_VHOST_EXTRAS = ("tracing", "tags", "defaultQueueType", "limits")


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """Which RabbitMQ a resource belongs to: the name of a RabbitmqCluster, or of a secret with its address."""

    name: str | None = None
    namespace: str | None = None
    connection_secret: str | None = None

    def reference(self) -> dict[str, Any]:
        """As resources say it; raises DefinitionError unless one of both is said."""
        if (self.name is None) == (self.connection_secret is None):
            raise DefinitionError("A cluster needs either a name or a connection secret.")
        said: dict[str, Any] = {"connectionSecret": {"name": self.connection_secret}} if self.name is None else {}
        said |= {} if self.name is None else {"name": self.name}
        return said | ({} if self.namespace is None else {"namespace": self.namespace})


def read_operator_yaml(text: str, where: str = "the YAML") -> Imported:
    """Every virtual host of a text with one or more documents; raises DefinitionError naming document and member."""
    collected = Collected()
    for number, document in enumerate(read_documents(text, where), start=1):
        for resource, place in _resources(document, f"{where}, document {number}"):
            _collect(collected, resource, place)
    return collected.all()


def write_operator_yaml(blueprint: Blueprint, cluster: Cluster, *, namespace: str | None = None) -> str:
    """All of a blueprint as resources; raises DefinitionError for what the operator has no member for."""
    names = ResourceNames()
    reference = cluster.reference()
    resources = []
    for kind, parts, spec in _specs(blueprint):
        name = names.name(kind, *parts)
        metadata = {"name": name} if namespace is None else {"name": name, "namespace": namespace}
        spec["rabbitmqClusterReference"] = dict(reference)
        resource = {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}
        check_resource(resource, f"{kind} {name}")
        resources.append(resource)
    return write_documents(resources)


def _resources(document: Any, place: str) -> Iterator[tuple[dict[str, Any], str]]:
    """A document is one resource, or a list of them as `kubectl get -o yaml` gives it; an empty one is nothing."""
    if document is None:
        return
    if not isinstance(document, dict):
        raise DefinitionError(f"{place}: it is {document!r}; a resource is a mapping with apiVersion, kind and spec.")
    # The programs of Kubernetes say List, its API for example QueueList.
    if str(document.get("kind")).endswith("List") and isinstance(document.get("items"), list):
        for number, item in enumerate(document["items"], start=1):
            yield from _resources(item, f"{place}, item {number}")
    else:
        yield document, place


def _collect(collected: Collected, resource: dict[str, Any], place: str) -> None:
    kind = resource.get("kind")
    if _is_no_topology(kind, resource.get("apiVersion")):
        collected.note([f"{place}: passed over, because a {kind} is no part of a topology."])
        return
    check_resource(resource, place)
    spec = resource["spec"]
    if kind == "Vhost":
        collected.have(spec["name"])
        extras = [name for name in _VHOST_EXTRAS if name in spec]
        collected.note(f"{place}: spec.{name} of a Vhost is passed over." for name in extras)
        return
    try:
        piece = _READERS[str(kind)](spec)
    except DefinitionError as error:
        raise DefinitionError(f"{place}: {error}") from error
    collected.add(spec.get("vhost", _DEFAULT_VHOST), piece, place)


def _is_no_topology(kind: object, version: object) -> bool:
    """Files have other resources, too, such as secrets; one of our kinds under another version is a mistake."""
    if not isinstance(kind, str) or not isinstance(version, str):
        return False
    if version.partition("/")[0] == API_VERSION.partition("/")[0]:
        return kind in OTHER_KINDS
    return kind not in OTHER_KINDS and kind not in SPECS


def _exchange(spec: Mapping[str, Any]) -> ExchangeSpec:
    return ExchangeSpec(
        name=spec["name"],
        type=spec.get("type", _DEFAULT_EXCHANGE_TYPE),
        durable=spec.get("durable", False),
        auto_delete=spec.get("autoDelete", False),
        arguments=spec.get("arguments", {}),
    )


def _queue(spec: Mapping[str, Any]) -> QueueSpec:
    return QueueSpec(
        name=spec["name"],
        # No type and an empty one are the same to the operator.
        type=spec.get("type") or None,
        durable=spec.get("durable", False),
        auto_delete=spec.get("autoDelete", False),
        arguments=spec.get("arguments", {}),
    )


def _binding(spec: Mapping[str, Any]) -> BindingSpec:
    missing = [name for name in ("source", "destination", "destinationType") if not spec.get(name)]
    if missing:
        raise DefinitionError(f"spec.{missing[0]} is missing.")
    return BindingSpec(
        source=spec["source"],
        destination=spec["destination"],
        destination_type=spec["destinationType"],
        key=spec.get("routingKey", ""),
        arguments=spec.get("arguments", {}),
    )


def _policy(spec: Mapping[str, Any]) -> PolicySpec:
    return PolicySpec(
        name=spec["name"],
        pattern=spec["pattern"],
        apply_to=spec.get("applyTo", "all"),
        definition=spec["definition"],
        priority=spec.get("priority", 0),
    )


_READERS: Mapping[str, Callable[[Mapping[str, Any]], Piece]] = {
    "Exchange": _exchange,
    "Queue": _queue,
    "Binding": _binding,
    "Policy": _policy,
}


def _specs(blueprint: Blueprint) -> Iterator[tuple[str, tuple[str, ...], dict[str, Any]]]:
    """Kind, what names it, and all that it says; in the order in which they can be made."""
    vhost = {"vhost": blueprint.vhost}
    if blueprint.vhost != _DEFAULT_VHOST:
        yield "Vhost", (blueprint.vhost,), {"name": blueprint.vhost}
    for policy in blueprint.policies:
        told = {"pattern": policy.pattern, "applyTo": policy.apply_to, "priority": policy.priority}
        definition = {"definition": Arguments(policy.definition).plain()}
        yield "Policy", (policy.name,), {"name": policy.name} | vhost | told | definition
    for exchange in blueprint.exchanges:
        if exchange.internal:
            raise DefinitionError(
                f"The exchange {exchange.name!r} is internal, which the operator cannot say; export it as JSON."
            )
        told = {"type": exchange.type, "durable": exchange.durable, "autoDelete": exchange.auto_delete}
        yield "Exchange", (exchange.name,), {"name": exchange.name} | vhost | told | _arguments(exchange)
    for queue in blueprint.queues:
        kind = {} if queue.type is None else {"type": queue.type}
        told = {"durable": queue.durable, "autoDelete": queue.auto_delete}
        yield "Queue", (queue.name,), {"name": queue.name} | vhost | kind | told | _arguments(queue)
    for each in blueprint.bindings:
        ends = {"source": each.source, "destination": each.destination, "destinationType": each.destination_type}
        identity = (each.source, each.destination, each.key, each.destination_type, repr(_arguments(each)))
        yield "Binding", identity, vhost | ends | {"routingKey": each.key} | _arguments(each)


def _arguments(piece: ExchangeSpec | QueueSpec | BindingSpec) -> dict[str, Any]:
    return {"arguments": Arguments(piece.arguments).plain()} if piece.arguments else {}
