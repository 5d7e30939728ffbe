"""Dead letters that get lost: a queue hands them to an exchange that is not there, or that leads nowhere."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from goatherd.model.blueprint import BindingSpec, Blueprint, QueueSpec
from goatherd.model.orphans import is_built_in
from goatherd.model.policies import policy_of


@dataclass(frozen=True, kw_only=True)
class DeadEnd:
    """One queue whose dead letters the broker throws away."""

    queue: str
    #: The name of the exchange, empty for the default one.
    exchange: str
    #: Where they go, in words.
    way: str
    #: Why they do not arrive.
    why: str


def dead_ends(seen: Blueprint, queues: Iterable[str], default_type: str = "classic") -> Iterator[DeadEnd]:
    """Those of some queues; one that names no way for its dead letters is not among them."""
    for name in queues:
        queue = seen.queue(name)
        leads = None if queue is None else _way(queue, seen, default_type)
        if leads is None:
            continue
        exchange, key = leads
        why = _why_lost(seen, exchange, name if key is None and not exchange else key)
        if why is not None:
            told = f"exchange {exchange!r}" if exchange else "the default exchange"
            way = told if key is None else f"{told} with the key {key!r}"
            yield DeadEnd(queue=name, exchange=exchange, way=way, why=why)


def _way(queue: QueueSpec, seen: Blueprint, default_type: str) -> tuple[str, str | None] | None:
    """Exchange and key; without a key a message keeps that with which it came."""
    policy = policy_of(queue, seen.policies, default_type)
    by_policy = {} if policy is None else policy.definition
    # What the queue itself says goes first.
    exchange = queue.arguments.get("x-dead-letter-exchange", by_policy.get("dead-letter-exchange"))
    if exchange is None:
        return None
    return exchange, queue.arguments.get("x-dead-letter-routing-key", by_policy.get("dead-letter-routing-key"))


def _why_lost(seen: Blueprint, exchange: str, key: str | None) -> str | None:
    if not exchange:
        return None if seen.queue(str(key)) is not None else f"there is no queue {key!r}"
    described = seen.exchange(exchange)
    if described is None and not is_built_in(exchange):
        return "there is no such exchange"
    if described is not None and "alternate-exchange" in described.arguments:
        return None
    bindings = [each for each in seen.bindings if each.source == exchange]
    if not bindings:
        return "no queue is bound to it"
    kind = exchange.partition(".")[2] if described is None else described.type
    if key is not None and not any(_leads(kind, each, key) for each in bindings):
        return "no queue is bound to it with that key"
    return None


def _leads(kind: str, binding: BindingSpec, key: str) -> bool:
    if kind == "direct":
        return binding.key == key
    if kind == "topic":
        return _fits(binding.key.split("."), key.split("."))
    # A fanout takes all; what headers and plugins' exchanges want is not known from here.
    return True


def _fits(pattern: list[str], words: list[str]) -> bool:
    """`*` stands for one word, `#` for any number."""
    if not pattern:
        return not words
    first, *rest = pattern
    if first == "#":
        return any(_fits(rest, words[skipped:]) for skipped in range(len(words) + 1))
    return bool(words) and first in ("*", words[0]) and _fits(rest, words[1:])
