"""Which policy the broker gives to a queue or an exchange: of those that fit its name, the one that goes first."""

import logging
import re
from collections.abc import Iterable

from goatherd.model.blueprint import ExchangeSpec, PolicySpec, QueueSpec

log = logging.getLogger("goatherd.topology")

#: What a policy applies to, by the type of a queue.
_OF_TYPE = {"classic": "classic_queues", "quorum": "quorum_queues", "stream": "streams"}

_MIRRORS = frozenset(
    ("ha-mode", "ha-params", "ha-promote-on-failure", "ha-promote-on-shutdown", "ha-sync-mode", "queue-master-locator")
)
_OF_STREAMS = frozenset(("initial-cluster-size", "max-age", "stream-max-segment-size-bytes"))
_OF_QUORUM = frozenset(("dead-letter-strategy", "delivery-limit", "target-group-size"))
_OF_QUEUES = frozenset(
    ("dead-letter-exchange", "dead-letter-routing-key", "expires", "max-length", "message-ttl", "overflow")
)
_OF_CLASSIC = frozenset(("max-priority", "queue-mode"))
#: A policy with but one of these is not given to queues of a type at all.
_UNFIT = {
    "classic": _OF_STREAMS | _OF_QUORUM,
    "quorum": _OF_STREAMS | _OF_CLASSIC | _MIRRORS,
    "stream": _OF_QUEUES | _OF_QUORUM | _OF_CLASSIC | _MIRRORS,
}


def policy_of(
    thing: QueueSpec | ExchangeSpec, policies: Iterable[PolicySpec], default_type: str = "classic"
) -> PolicySpec | None:
    """The one policy in force; None if none fits. `default_type` is that of queues that say none."""
    fitting = [each for each in policies if fits(each, thing, default_type)]
    # The broker takes the highest priority; which of two equals it takes is not said, so here it is the first by name.
    return min(fitting, key=lambda each: (-each.priority, each.name), default=None)


def fits(policy: PolicySpec, thing: QueueSpec | ExchangeSpec, default_type: str = "classic") -> bool:
    """Whether a policy could apply, if no other went first."""
    if isinstance(thing, QueueSpec) and _UNFIT.get(thing.type or default_type, frozenset()) & policy.definition.keys():
        return False
    return policy.apply_to in _targets(thing, default_type) and _matches(policy, thing.name)


def _targets(thing: QueueSpec | ExchangeSpec, default_type: str) -> tuple[str, ...]:
    if isinstance(thing, ExchangeSpec):
        return "exchanges", "all"
    return "queues", _OF_TYPE.get(thing.type or default_type, "queues"), "all"


def _matches(policy: PolicySpec, name: str) -> bool:
    try:
        # Patterns are not anchored, for the broker neither.
        return re.search(policy.pattern, name) is not None
    except re.error as error:
        # The broker's patterns know a little more than Python's; what it does with this one cannot be told from here.
        log.warning(
            "Whether the policy %r applies to %r is not known: its pattern %r cannot be read (%s)",
            policy.name, name, policy.pattern, error,
        )  # fmt: skip
        return False
