"""Where a message goes from an exchange, as RabbitMQ decides it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from goatherd.model.blueprint import BindingSpec, ExchangeSpec


@dataclass(frozen=True)
class Letter:
    """A message in a queue."""

    body: bytes
    key: str
    headers: Mapping[str, object] = field(default_factory=dict)
    #: The queues whose dead letter it was, so that it does not go round for ever.
    buried: frozenset[str] = frozenset()


class Ways(Protocol):
    """The part of a virtual host that decides where messages go."""

    @property
    def queues(self) -> Collection[str]: ...

    @property
    def bindings(self) -> Collection[BindingSpec]: ...

    def find_exchange(self, name: str) -> ExchangeSpec | None:
        """None if it is not there."""


def route(ways: Ways, exchange: str, key: str, headers: Mapping[str, object]) -> set[str]:
    """The queues to which a message goes, each once; an exchange that has no way for it tries its alternate."""
    if not exchange:
        return {key} & set(ways.queues)
    goals: set[str] = set()
    seen: set[str] = set()
    open_ = [exchange]
    while open_:
        name = open_.pop()
        found = ways.find_exchange(name)
        if found is None or name in seen:
            continue
        seen.add(name)
        fitting = [each for each in ways.bindings if each.source == name and _fits(found.type, each, key, headers)]
        goals |= {each.destination for each in fitting if each.destination_type == "queue"}
        open_ += [each.destination for each in fitting if each.destination_type == "exchange"]
        if not fitting and "alternate-exchange" in found.arguments:
            open_.append(str(found.arguments["alternate-exchange"]))
    return goals


def _fits(kind: str, binding: BindingSpec, key: str, headers: Mapping[str, object]) -> bool:
    match kind:
        case "fanout":
            return True
        case "topic":
            return _like(binding.key.split("."), key.split("."))
        case "headers":
            return _headed(binding.arguments, headers)
    return binding.key == key


def _like(pattern: list[str], words: list[str]) -> bool:
    """`*` is one word, `#` any number of them."""
    if not pattern:
        return not words
    first, rest = pattern[0], pattern[1:]
    if first == "#":
        return any(_like(rest, words[place:]) for place in range(len(words) + 1))
    return bool(words) and first in ("*", words[0]) and _like(rest, words[1:])


def _headed(arguments: Mapping[str, object], headers: Mapping[str, object]) -> bool:
    rule = arguments.get("x-match", "all")
    with_x = str(rule).endswith("-with-x")
    asked = {name: value for name, value in arguments.items() if name != "x-match" and (with_x or name[:2] != "x-")}
    found = [name in headers and value in (None, headers[name]) for name, value in asked.items()]
    return any(found) if str(rule).startswith("any") else all(found)
