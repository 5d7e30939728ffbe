"""What was left on a broker: beside our queues by a library, or under our name by an earlier version."""

import re
from collections.abc import Iterator
from typing import TypeAlias

from goatherd.model.blueprint import Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.difference import Difference, Kind, Risk, Scope
from goatherd.model.stand_in import stand_in_of

_Thing: TypeAlias = ExchangeSpec | QueueSpec | PolicySpec

#: What libraries add to the name of a queue or an exchange for those of their own.
LEFT_BESIDE = {
    ".delay": "TaskIQ",
    ".dead_letter": "TaskIQ",
    ".plugin_delay": "TaskIQ",
    ".DQ": "Dramatiq",
    ".XQ": "Dramatiq",
}

#: Queues that libraries make once, for the dead letters of all their queues.
SHARED_GRAVES = {"taskiq.dead_letter": "TaskIQ"}


def is_built_in(exchange: str) -> bool:
    """Whether the broker itself made it, in every virtual host."""
    return not exchange or exchange.startswith("amq.")


def orphans(wanted: Blueprint, live: Blueprint, scope: Scope) -> Iterator[Difference]:
    """What nobody wants any more; exchanges first, so that nothing new comes into a queue that is to go."""
    exchanges, queues = {each.name for each in wanted.exchanges}, {each.name for each in wanted.queues}
    policies = {each.name for each in wanted.policies}
    old_graves = _old_graves(wanted, live)
    for exchange in live.exchanges:
        if exchange.name not in exchanges and not is_built_in(exchange.name) and not _stands_in(exchange, exchanges):
            yield from _if_left(exchange, "exchange", _beside(exchange.name, exchanges | queues), scope)
    for queue in live.queues:
        if queue.name not in queues and not _stands_in(queue, queues):
            why = _beside(queue.name, queues) or old_graves.get(queue.name) or _with_our_graves(queue, scope)
            yield from _if_left(queue, "queue", why, scope)
    for policy in live.policies:
        if policy.name not in policies:
            # Libraries make no policies.
            yield from _if_left(policy, "policy", None, scope)


def _if_left(there: _Thing, kind: Kind, why: str | None, scope: Scope) -> Iterator[Difference]:
    if any(re.fullmatch(pattern, there.name) for pattern in scope.passing):
        return
    why = why or _under_our_name(there.name, scope)
    if why is not None:
        risks = tuple(_risks(there.name, scope)) if kind == "queue" else ()
        yield Difference(change="orphan", kind=kind, name=there.name, why=why, risks=risks)


def _stands_in(there: _Thing, wanted: set[str]) -> bool:
    """Whether it goes when the replacement of something that is wanted is finished; else nobody will ever finish it."""
    return any(there.name == stand_in_of(name) for name in wanted)


def _beside(name: str, wanted: set[str]) -> str | None:
    for suffix, library in LEFT_BESIDE.items():
        if name.endswith(suffix) and name.removesuffix(suffix) in wanted:
            return f"{library} makes such a one beside {name.removesuffix(suffix)!r}"
    return None


def _old_graves(wanted: Blueprint, live: Blueprint) -> dict[str, str]:
    """Queues that get nobody's dead letters straight from the broker, once ours go elsewhere; with why they go."""
    kept = {_grave(each) for each in wanted.queues}
    kept |= {_grave(each) for each in live.queues if wanted.queue(each.name) is None}
    found = {_grave(each): each.name for each in live.queues if wanted.queue(each.name) is not None}
    whys = {
        name: f"{library} makes it for dead letters of its queues, and there is no such queue any more"
        for name, library in SHARED_GRAVES.items()
    }
    # A queue that something else leads to is more than a grave, and somebody else's.
    bound = {each.destination for each in live.bindings if each.destination_type == "queue"}
    whys |= {
        grave: f"dead letters of the queue {queue!r} went there, and will not any more"
        for grave, queue in found.items()
        if grave is not None and grave not in bound
    }
    return {grave: why for grave, why in whys.items() if grave not in kept}


def _grave(queue: QueueSpec) -> str | None:
    """The queue that gets its dead letters by the default exchange."""
    if queue.arguments.get("x-dead-letter-exchange") != "":
        return None
    told = queue.arguments.get("x-dead-letter-routing-key")
    return told if isinstance(told, str) else None


def _under_our_name(name: str, scope: Scope) -> str | None:
    prefix = next((each for each in scope.prefixes if name.startswith(each)), None)
    return None if prefix is None else f"its name begins with {prefix!r}, but the definition has no such one any more"


def _with_our_graves(there: QueueSpec, scope: Scope) -> str | None:
    grave = there.arguments.get("x-dead-letter-exchange")
    if grave not in scope.graves:
        return None
    return f"its dead letters go to {grave!r}, as only this app's do, but the definition has no such one any more"


def _risks(name: str, scope: Scope) -> Iterator[Risk]:
    crowd = scope.crowd(name)
    if crowd.messages is None:
        yield Risk(loses="messages", why=f"the queue {name!r} would go with all that is in it, which is not known")
    elif crowd.messages:
        yield Risk(
            loses="messages", why=f"the queue {name!r} would go with {_counted(crowd.messages, 'message')} in it"
        )
    if crowd.consumers:
        taking = f"{_counted(crowd.consumers, 'consumer')} still {'takes' if crowd.consumers == 1 else 'take'}"
        yield Risk(loses="messages", why=f"{taking} from the queue {name!r}")


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
