"""Where a policy has no effect: an argument goes before it, or the policy of somebody else."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from goatherd.model.blueprint import Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.broker_arguments import same_value
from goatherd.model.difference import Detail, Difference, Scope
from goatherd.model.policies import policy_of

#: Where an argument and a policy both set a limit, the lower one counts; in all else the argument goes first.
LOWER_COUNTS = frozenset(("delivery-limit", "expires", "max-length", "max-length-bytes", "message-ttl"))
#: What decides whether messages stay: a stranger's policy must not set these on our queues and exchanges unseen.
MATTERS = LOWER_COUNTS | {
    "alternate-exchange", "dead-letter-exchange", "dead-letter-routing-key", "dead-letter-strategy", "max-age",
    "overflow",
}  # fmt: skip


def in_force(thing: QueueSpec | ExchangeSpec, policy: PolicySpec | None, default_type: str) -> dict[str, Any]:
    """What counts on a queue or an exchange, named as policies name it: of its arguments and of its policy."""
    own = _as_policies_say(thing)
    if policy is None:
        return own
    is_quorum = isinstance(thing, QueueSpec) and (thing.type or default_type) == "quorum"
    found = dict(own)
    for key, value in policy.definition.items():
        if key not in own or (key == "overflow" and is_quorum):
            found[key] = value
        elif key in LOWER_COUNTS:
            found[key] = lower(own[key], value)
    return found


def shadows(wanted: Blueprint, live: Blueprint, strangers: Sequence[PolicySpec], scope: Scope) -> Iterator[Difference]:
    """Where a policy that is meant to count does not, once all policies are as wanted.

    `strangers` are the policies that stay though the definition has none of them. What the definition contradicts by
    itself is no difference between it and the broker.
    """
    things: list[tuple[QueueSpec | ExchangeSpec, QueueSpec | ExchangeSpec | None]] = [
        *((each, live.exchange(each.name)) for each in wanted.exchanges),
        *((each, live.queue(each.name)) for each in wanted.queues),
    ]
    for thing, there in things:
        meant_by = policy_of(thing, wanted.policies, scope.default_type)
        winner = policy_of(thing, [*wanted.policies, *strangers], scope.default_type)
        meant = in_force(thing, meant_by, scope.default_type)
        if winner is not None and winner != meant_by:
            yield from _by_policy(thing, winner, meant, scope)
        elif meant_by is not None and there is not None:
            yield from _by_argument(there, meant_by, meant, scope)


def _by_argument(
    there: QueueSpec | ExchangeSpec, policy: PolicySpec, meant: Mapping[str, Any], scope: Scope
) -> Iterator[Difference]:
    now = in_force(there, policy, scope.default_type)
    own = _as_policies_say(there)
    details = [
        Detail(field=key, wanted=value, found=now[key])
        for key, value in policy.definition.items()
        if key in own and same_value(meant[key], value) and not same_value(now[key], value)
    ]
    if details:
        why = f"the policy {policy.name!r} says otherwise, but arguments of the {_kind(there)} go before it"
        yield Difference(change="shadowed", kind=_kind(there), name=there.name, details=tuple(details), why=why)


def _by_policy(
    thing: QueueSpec | ExchangeSpec, winner: PolicySpec, meant: Mapping[str, Any], scope: Scope
) -> Iterator[Difference]:
    now = in_force(thing, winner, scope.default_type)
    details = [
        Detail(field=key, wanted=meant.get(key), found=now.get(key))
        for key in sorted({*meant, *(MATTERS & now.keys())})
        if not same_value(meant.get(key), now.get(key))
    ]
    if details:
        why = (
            f"the policy {winner.name!r}, which is not of the definition, goes first here (priority "
            f"{winner.priority}); whoever made it must change it, or give a policy of the definition a higher priority"
        )
        yield Difference(
            change="shadowed", kind=_kind(thing), name=thing.name, details=tuple(details), why=why, mendable=False
        )


def _as_policies_say(thing: QueueSpec | ExchangeSpec) -> dict[str, Any]:
    if isinstance(thing, ExchangeSpec):
        return dict(thing.arguments)
    return {name.removeprefix("x-"): value for name, value in thing.arguments.items()}


def _kind(thing: QueueSpec | ExchangeSpec) -> Literal["queue", "exchange"]:
    return "exchange" if isinstance(thing, ExchangeSpec) else "queue"


def lower(one: object, other: object) -> object:
    """The limit that counts of two."""
    if not isinstance(one, int | float) or not isinstance(other, int | float):
        return one
    # A limit below zero is none.
    return max(one, other) if min(one, other) < 0 else min(one, other)
