"""By which changes messages could be lost, or their order, and why."""

from collections.abc import Iterator
from dataclasses import replace

from goatherd.model.blueprint import Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.difference import Risk, Scope
from goatherd.model.policies import policy_of
from goatherd.model.stand_in import stand_in_of

_ONE_AT_A_TIME = "x-single-active-consumer"


def without_idle(live: Blueprint, wanted: Blueprint, scope: Scope) -> Blueprint:
    """What is there without the queues that stay empty: we do not want them, and nobody else is connected."""
    if scope.strangers is None or scope.strangers:
        return live
    left = [each for each in live.queues if wanted.queue(each.name) or scope.crowd(each.name).messages != 0]
    return replace(live, queues=tuple(left))


def risks_of_queue(wanted: QueueSpec, found: QueueSpec, live: Blueprint, scope: Scope) -> tuple[Risk, ...]:
    """Of replacing a queue while messages come in."""
    return (*risks_of_not_seeing(wanted.name, scope), *_risks_of_queue(wanted, found, live, scope))


def risks_of_exchange(exchange: ExchangeSpec, live: Blueprint, scope: Scope) -> tuple[Risk, ...]:
    """Of replacing an exchange: for a moment there is none."""
    return (*risks_of_not_seeing(exchange.name, scope), *_risks_of_exchange(exchange, live, scope))


def risks_of_not_seeing(name: str, scope: Scope) -> tuple[Risk, ...]:
    """Of replacing something whose bindings nobody tells."""
    if not scope.unseen:
        return ()
    why = (
        f"it cannot be seen who bound what to {name!r}, and bindings of other programs would go with it; give the URL "
        f"of the management API (GOATHERD_MANAGEMENT_URL)"
    )
    return (Risk(loses="messages", why=why),)


def risks_of_policy(policy: PolicySpec, wanted: Blueprint, scope: Scope) -> tuple[Risk, ...]:
    """Of setting a policy, which counts at once."""
    queues = [each for each in wanted.queues if policy_of(each, wanted.policies, scope.default_type) == policy]
    overflow = policy.definition.get("overflow")
    found = [_overfull(each, policy.definition.get("max-length"), overflow, scope) for each in queues]
    return tuple(risk for risk in found if risk is not None)


def _risks_of_queue(wanted: QueueSpec, found: QueueSpec, live: Blueprint, scope: Scope) -> Iterator[Risk]:
    name = wanted.name
    yield from _risks_by_name(found, live, scope)
    burying = [each.name for each in live.queues if _buries_straight_in(each, name, live, scope)]
    if burying:
        yield Risk(
            loses="messages",
            why=f"dead letters of {', '.join(map(repr, burying))} go straight to the queue {name!r}, and are dropped "
            f"while it is replaced",
        )
    if name in scope.ordered or any(each.arguments.get(_ONE_AT_A_TIME) is True for each in (wanted, found)):
        yield Risk(
            loses="order",
            why=f"the messages of the queue {name!r} are taken in order, and what is moved can come later than what "
            f"is published meanwhile. Pause its consumers and its publishers",
        )
    if found.auto_delete and scope.crowd(name).consumers != 0:
        yield Risk(
            loses="messages",
            why=f"the queue {name!r} is deleted with all that is in it when its last consumer leaves (auto_delete)",
        )
    if "stream" in (found.type, wanted.type):
        yield Risk(
            loses="messages",
            why=f"the queue {name!r} is or becomes a stream: its readers' places, and what was read but is kept, "
            f"cannot be moved",
        )
    risk = _overfull(wanted, wanted.arguments.get("x-max-length"), wanted.arguments.get("x-overflow"), scope)
    if risk is not None:
        yield risk


def _risks_by_name(found: QueueSpec, live: Blueprint, scope: Scope) -> Iterator[Risk]:
    """From those who publish to a queue by the default exchange, from which it cannot be unbound."""
    name = found.name
    if name not in scope.ours_alone and not _ways(name, live) - scope.ours_alone and _others(scope):
        yield Risk(
            loses="messages",
            why=f"no exchange leads to the queue {name!r}, so that programs publish to it by the default exchange; "
            f"while it is replaced, what {_others(scope)} without mandatory=true is dropped. Pause them",
        )
    if found.type == "quorum" and not _ways(name, live):
        yield Risk(
            loses="messages",
            why=f"programs publish to the quorum queue {name!r} by the default exchange, from which it cannot be "
            f"unbound, and the broker deletes such a queue also with a message that came in at the last moment. Pause "
            f"whoever publishes to it",
        )
    elif name in scope.unguarded and not _ways(name, live):
        yield Risk(
            loses="messages",
            why=f"the queue {name!r} is one of many of a listener, and our own programs send to it by the default "
            f"exchange without looking whether it is being replaced. Stop them",
        )


def _risks_of_exchange(exchange: ExchangeSpec, live: Blueprint, scope: Scope) -> Iterator[Risk]:
    name = exchange.name
    if name not in scope.ours_alone and _others(scope):
        yield Risk(
            loses="messages",
            why=f"while the exchange {name!r} is replaced, what {_others(scope)} to it is refused, and lost if they "
            f"do not send it again. Pause them",
        )
    losing = [each.name for each in live.queues if _buries_in(each, name, live, scope)]
    if losing:
        yield Risk(
            loses="messages",
            why=f"dead letters of {', '.join(map(repr, losing))} go to the exchange {name!r}, and are dropped while it "
            f"is replaced",
        )
    relying = [each.name for each in live.exchanges if each.arguments.get("alternate-exchange") == name]
    if relying:
        yield Risk(
            loses="messages",
            why=f"what {', '.join(map(repr, relying))} cannot deliver goes to the exchange {name!r}, and is dropped "
            f"while it is replaced",
        )


def _others(scope: Scope) -> str:
    """Who else may publish, in words; nothing if nobody else is connected."""
    if scope.strangers is None:
        return "programs other than ours publish"
    return f"{', '.join(scope.strangers)} may publish" if scope.strangers else ""


def _ways(queue: str, live: Blueprint) -> set[str]:
    """The exchanges that lead to it or to its stand-in, but for the default exchange, which leads to all."""
    two = (queue, stand_in_of(queue))
    queued = [each for each in live.bindings if each.destination_type == "queue" and each.destination in two]
    return {each.source for each in queued} - {""}


def _buries_in(queue: QueueSpec, exchange: str, live: Blueprint, scope: Scope) -> bool:
    # A queue with that strategy keeps its dead letters until they are accepted.
    keeps = queue.arguments.get("x-dead-letter-strategy") == "at-least-once"
    return _in_force(queue, "dead-letter-exchange", live, scope) == exchange and not keeps


def _buries_straight_in(queue: QueueSpec, grave: str, live: Blueprint, scope: Scope) -> bool:
    key = _in_force(queue, "dead-letter-routing-key", live, scope)
    return key == grave and _buries_in(queue, "", live, scope)


def _in_force(queue: QueueSpec, key: str, live: Blueprint, scope: Scope) -> object:
    if (told := queue.arguments.get(f"x-{key}")) is not None:
        return told
    policy = policy_of(queue, live.policies, scope.default_type)
    return None if policy is None else policy.definition.get(key)


def _overfull(queue: QueueSpec, limit: object, overflow: object, scope: Scope) -> Risk | None:
    messages = scope.crowd(queue.name).messages
    if not isinstance(limit, int) or messages is None or messages <= limit or overflow == "reject-publish":
        return None
    return Risk(
        loses="messages",
        why=f"the queue {queue.name!r} holds {messages} messages and is to hold {limit} at most: the oldest would go",
    )
