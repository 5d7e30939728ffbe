"""Blueprints from and to RabbitMQ's own export of definitions, of a whole cluster or of one virtual host."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_args

import msgspec

from goatherd.errors import DefinitionError
from goatherd.model.blueprint import (
    TYPE_ARGUMENT,
    ApplyTo,
    BindingSpec,
    Blueprint,
    DestinationType,
    ExchangeSpec,
    PolicySpec,
    QueueSpec,
)
from goatherd.model.broker_arguments import Arguments
from goatherd.model.imported import Collected, Imported, Piece
from goatherd.model.member_rules import Member, Rules, check_members

_TEXT, _FLAG, _TABLE = Member(type=str), Member(type=bool), Member(type=dict)
_NAME = Member(type=str, required=True)
_MADE: Rules = {"name": _NAME, "vhost": _TEXT, "durable": _FLAG, "auto_delete": _FLAG, "arguments": _TABLE}

SECTIONS: Mapping[str, Rules] = {
    "exchanges": {**_MADE, "type": _NAME, "internal": _FLAG},
    "queues": {**_MADE, "type": _TEXT},
    "bindings": {
        "source": _NAME, "vhost": _TEXT, "destination": _NAME, "routing_key": _TEXT, "arguments": _TABLE,
        "destination_type": Member(type=str, required=True, choices=get_args(DestinationType)),
    },
    "policies": {
        "name": _NAME, "vhost": _TEXT, "pattern": _NAME, "definition": Member(type=dict, required=True),
        "apply-to": Member(type=str, choices=get_args(ApplyTo)), "priority": Member(type=int),
    },
}  # fmt: skip

#: Sections that say nothing about a topology, or only who wrote the file.
_SILENT = frozenset(
    ("rabbit_version", "rabbitmq_version", "rabbitmq_definition_format", "product_name", "product_version", "vhosts",
     "original_vhost_name", "original_cluster_name", "explanation")
)  # fmt: skip


def read_definitions(text: str | bytes, where: str = "the definitions", vhost: str | None = None) -> Imported:
    """Every virtual host of an export; `vhost` is whose it is where it does not say so. Raises DefinitionError."""
    told = _decoded(text, where)
    collected = Collected()
    for name in _vhosts(told, where):
        collected.have(name)
    own = _own_vhost(told, vhost)
    for section, rules in SECTIONS.items():
        for item, place in _items(told, section, where):
            check_members(item, rules, place)
            try:
                piece = _READERS[section](item)
            except DefinitionError as error:
                raise DefinitionError(f"{place}: {error}") from error
            collected.add(_vhost_of(item, own, place), piece, place)
    others = sorted(name for name in told if name not in SECTIONS and name not in _SILENT and told[name])
    collected.note(f"{where}: {name} is passed over, because it is no part of a topology." for name in others)
    return collected.all()


def write_definitions(blueprint: Blueprint) -> str:
    """A blueprint as the whole export of a cluster that has nothing else, which any cluster can import."""
    vhost = {"vhost": blueprint.vhost}
    whole = {
        "vhosts": [{"name": blueprint.vhost}],
        "policies": [vhost | _told_policy(each) for each in blueprint.policies],
        "queues": [vhost | _told_queue(each) for each in blueprint.queues],
        "exchanges": [vhost | _told_exchange(each) for each in blueprint.exchanges],
        "bindings": [vhost | _told_binding(each) for each in blueprint.bindings],
    }
    return msgspec.json.format(msgspec.json.encode(whole), indent=2).decode() + "\n"


def _decoded(text: str | bytes, where: str) -> dict[str, Any]:
    try:
        told = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise DefinitionError(f"{where} is no JSON that can be read: {error}.") from error
    if not isinstance(told, dict):
        raise DefinitionError(f"{where} is no export of definitions: it must be a mapping with queues and exchanges.")
    return told


def _items(told: Mapping[str, Any], section: str, where: str) -> Iterator[tuple[Any, str]]:
    items = told.get(section, [])
    if not isinstance(items, list):
        raise DefinitionError(f"{where}: {section} is {items!r}; it must be a list.")
    for number, item in enumerate(items, start=1):
        yield item, f"{where}, {section} {number}"


def _vhosts(told: Mapping[str, Any], where: str) -> Iterator[str]:
    for item, place in _items(told, "vhosts", where):
        if not isinstance(item, dict) or not isinstance(item.get("name"), str):
            raise DefinitionError(f"{place}: name is missing.")
        yield item["name"]


def _own_vhost(told: Mapping[str, Any], vhost: str | None) -> str | None:
    """Whose the export of one virtual host is: only newer brokers say so, older ones only in the policies."""
    said = told.get("original_vhost_name")
    if isinstance(said, str):
        return said
    policies = told.get("policies")
    named = {each.get("vhost") for each in policies if isinstance(each, dict)} if isinstance(policies, list) else set()
    [only] = named if len(named) == 1 else [None]
    return only if isinstance(only, str) else vhost


def _vhost_of(item: Mapping[str, Any], own: str | None, place: str) -> str:
    said = item.get("vhost", own)
    if not isinstance(said, str):
        raise DefinitionError(f"{place}: vhost is missing, so this is the export of one virtual host; say of which.")
    return said


def _exchange(item: Mapping[str, Any]) -> ExchangeSpec:
    return ExchangeSpec(
        name=item["name"],
        type=item["type"],
        durable=item.get("durable", True),
        auto_delete=item.get("auto_delete", False),
        internal=item.get("internal", False),
        arguments=item.get("arguments", {}),
    )


def _queue(item: Mapping[str, Any]) -> QueueSpec:
    arguments = dict(item.get("arguments", {}))
    kind = item.get("type")
    if kind is not None and arguments.setdefault(TYPE_ARGUMENT, kind) != kind:
        raise DefinitionError(f"type is {kind!r}, but arguments.{TYPE_ARGUMENT} is {arguments[TYPE_ARGUMENT]!r}.")
    return QueueSpec.from_declared(
        item["name"], arguments, durable=item.get("durable", True), auto_delete=item.get("auto_delete", False)
    )


def _binding(item: Mapping[str, Any]) -> BindingSpec:
    return BindingSpec(
        source=item["source"],
        destination=item["destination"],
        destination_type=item["destination_type"],
        key=item.get("routing_key", ""),
        arguments=item.get("arguments", {}),
    )


def _policy(item: Mapping[str, Any]) -> PolicySpec:
    return PolicySpec(
        name=item["name"],
        pattern=item["pattern"],
        apply_to=item.get("apply-to", "all"),
        definition=item["definition"],
        priority=item.get("priority", 0),
    )


_READERS: Mapping[str, Callable[[Mapping[str, Any]], Piece]] = {
    "exchanges": _exchange,
    "queues": _queue,
    "bindings": _binding,
    "policies": _policy,
}


def _told_exchange(each: ExchangeSpec) -> dict[str, Any]:
    told = {"name": each.name, "type": each.type, "durable": each.durable, "auto_delete": each.auto_delete}
    return told | {"internal": each.internal, "arguments": Arguments(each.arguments).plain()}


def _told_queue(each: QueueSpec) -> dict[str, Any]:
    told = {"name": each.name, "durable": each.durable, "auto_delete": each.auto_delete}
    return told | {"arguments": each.declared_arguments}


def _told_binding(each: BindingSpec) -> dict[str, Any]:
    ends = {"source": each.source, "destination": each.destination, "destination_type": each.destination_type}
    return ends | {"routing_key": each.key, "arguments": Arguments(each.arguments).plain()}


def _told_policy(each: PolicySpec) -> dict[str, Any]:
    told = {"name": each.name, "pattern": each.pattern, "apply-to": each.apply_to, "priority": each.priority}
    return told | {"definition": Arguments(each.definition).plain()}
