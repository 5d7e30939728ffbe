"""By which changes messages could be lost, or their order, and why."""

from collections.abc import Iterator

from goatherd.model.blueprint import Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.difference import Risk, Scope
from goatherd.model.policies import policy_of

_DEAD_LETTERS = ("x-dead-letter-exchange", "dead-letter-exchange")
_ONE_AT_A_TIME = "x-single-active-consumer"


def risks_of_queue(wanted: QueueSpec, found: QueueSpec, live: Blueprint, scope: Scope) -> tuple[Risk, ...]:
    """Of replacing a queue while messages come in."""
    return tuple(_risks_of_queue(wanted, found, live, scope))


def risks_of_exchange(exchange: ExchangeSpec, live: Blueprint, scope: Scope) -> tuple[Risk, ...]:
    """Of replacing an exchange: for a moment there is none."""
    return tuple(_risks_of_exchange(exchange, live, scope))


def risks_of_policy(policy: PolicySpec, wanted: Blueprint, scope: Scope) -> tuple[Risk, ...]:
    """Of setting a policy, which counts at once."""
    queues = [each for each in wanted.queues if policy_of(each, wanted.policies, scope.default_type) == policy]
    overflow = policy.definition.get("overflow")
    found = [_overfull(each, policy.definition.get("max-length"), overflow, scope) for each in queues]
    return tuple(risk for risk in found if risk is not None)


def _risks_of_queue(wanted: QueueSpec, found: QueueSpec, live: Blueprint, scope: Scope) -> Iterator[Risk]:
    name = wanted.name
    if name not in scope.ours_alone and not _is_bound(name, live, scope):
        yield Risk(
            loses="messages",
            why=f"no exchange leads to the queue {name!r}, so that programs publish to it by the default exchange; "
            f"while it is replaced, what programs other than ours publish without mandatory=true is dropped. "
            f"Pause them",
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


def _risks_of_exchange(exchange: ExchangeSpec, live: Blueprint, scope: Scope) -> Iterator[Risk]:
    name = exchange.name
    if name not in scope.ours_alone:
        yield Risk(
            loses="messages",
            why=f"while the exchange {name!r} is replaced, programs other than ours that publish to it are refused, "
            f"and what they do not send again is lost. Pause them",
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


def _is_bound(queue: str, live: Blueprint, scope: Scope) -> bool:
    """Whether others have a way to it by an exchange; one that only we publish to is none for them."""
    sources = {each.source for each in live.bindings if (each.destination_type, each.destination) == ("queue", queue)}
    return bool(sources - scope.ours_alone - {""})


def _buries_in(queue: QueueSpec, exchange: str, live: Blueprint, scope: Scope) -> bool:
    policy = policy_of(queue, live.policies, scope.default_type)
    argument, key = _DEAD_LETTERS
    told = queue.arguments.get(argument) or (policy.definition.get(key) if policy is not None else None)
    # Such a queue keeps its dead letters until they are accepted.
    return told == exchange and queue.arguments.get("x-dead-letter-strategy") != "at-least-once"


def _overfull(queue: QueueSpec, limit: object, overflow: object, scope: Scope) -> Risk | None:
    messages = scope.crowd(queue.name).messages
    if not isinstance(limit, int) or messages is None or messages <= limit or overflow == "reject-publish":
        return None
    return Risk(
        loses="messages",
        why=f"the queue {queue.name!r} holds {messages} messages and is to hold {limit} at most: the oldest would go",
    )
