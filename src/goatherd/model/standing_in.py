"""The queue that stands in for another one, and what policies would do to it: they go by names, and its is new."""

from collections.abc import Iterator, Mapping, Sequence

from goatherd.model.blueprint import PolicySpec, QueueSpec
from goatherd.model.difference import Crowd, Risk, Scope
from goatherd.model.policies import policy_of
from goatherd.model.shadows import in_force, lower
from goatherd.model.stand_in import stand_in_of

#: What says where dead letters go.
GRAVE = ("dead-letter-exchange", "dead-letter-routing-key")
#: What lets messages go, with words for it.
LIMITS = {
    "message-ttl": "lets messages expire after {} ms",
    "max-length": "keeps {} messages at most",
    "max-length-bytes": "keeps {} bytes at most",
}
#: Milliseconds that are longer than anybody lets a replacement take, or lie after it was cut off.
LONG = 3_600_000


def queue_standing_in(queue: QueueSpec, policies: Sequence[PolicySpec], default_type: str) -> QueueSpec:
    """Nothing goes in it but what expires by itself, which goes where it would go from the queue."""
    told = in_force(queue, policy_of(queue, policies, default_type), default_type)
    kind = queue.type or default_type
    return QueueSpec(
        name=stand_in_of(queue.name),
        type="classic" if kind == "stream" else kind,
        arguments={f"x-{key}": told[key] for key in GRAVE if key in told},
    )


def risks_of_standing_in(
    wanted: QueueSpec, found: QueueSpec, policies: Sequence[PolicySpec], scope: Scope
) -> tuple[Risk, ...]:
    """By policies that count for the stand-in and not for the queue, and by what lets queues go that nobody uses."""
    return tuple(Risk(loses="messages", why=why) for why in _whys(wanted, found, policies, scope))


def _whys(wanted: QueueSpec, found: QueueSpec, policies: Sequence[PolicySpec], scope: Scope) -> Iterator[str]:
    aside = queue_standing_in(wanted, policies, scope.default_type)
    there, meant = (_all_in_force(each, policies, scope) for each in (aside, wanted))
    for key, words in LIMITS.items():
        limit = there.get(key)
        is_new = limit is not None and lower(limit, meant.get(key, -1)) != meant.get(key)
        if is_new and not _has_room(key, there, scope.crowd(wanted.name)):
            yield (
                f"while the queue {wanted.name!r} is replaced, {aside.name!r} stands in for it, which a policy also "
                f"fits that {words.format(limit)}. Let the pattern of that policy not fit it"
            )
    for each in (found, aside):
        limit = _all_in_force(each, policies, scope).get("expires")
        if isinstance(limit, int) and limit < LONG:
            yield (
                f"the queue {each.name!r} is deleted with all that is in it when nobody has consumed from it for "
                f"{limit} ms (expires), and nobody does while {wanted.name!r} is replaced"
            )


def _has_room(key: str, there: Mapping[str, object], crowd: Crowd) -> bool:
    """Whether a limit is far enough away."""
    limit = there[key]
    if key == "message-ttl":
        return isinstance(limit, int) and limit >= LONG
    if there.get("overflow") == "reject-publish":
        # What is refused is sent again.
        return True
    # As many may come meanwhile as wait now.
    return key == "max-length" and isinstance(limit, int) and crowd.messages is not None and 2 * crowd.messages < limit


def _all_in_force(queue: QueueSpec, policies: Sequence[PolicySpec], scope: Scope) -> dict[str, object]:
    found = in_force(queue, policy_of(queue, policies, scope.default_type), scope.default_type)
    operators = policy_of(queue, scope.operator_policies, scope.default_type)
    for key, value in (operators.definition if operators is not None else {}).items():
        found[key] = lower(found[key], value) if key in found else value
    return found
