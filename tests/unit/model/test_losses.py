"""What could be lost by which change."""

from dataclasses import replace
from typing import Any

import pytest

from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.difference import Crowd, Difference, Scope
from goatherd.model.drift import plan

QUEUE = QueueSpec(name="mails", type="classic")
EXCHANGE = ExchangeSpec(name="post", type="direct")
BINDING = BindingSpec(source="post", destination="mails", key="mails")
WANTED = Blueprint(exchanges=(EXCHANGE,), queues=(QUEUE,), bindings=(BINDING,))


def replacement(found: dict[str, Any], wanted: dict[str, Any] | None = None, **scope: Any) -> Difference:
    """The only difference, if the queue is found so."""
    live = replace(WANTED, queues=(replace(QUEUE, **found),))
    [difference] = plan(replace(WANTED, queues=(replace(QUEUE, **(wanted or {})),)), live, Scope(**scope))
    assert difference.change == "replace queue"
    return difference


def test_a_queue_behind_an_exchange_is_replaced_safely() -> None:
    assert replacement({"durable": False}).is_safe


@pytest.mark.parametrize(
    ("ours_alone", "source", "is_safe"),
    [
        (frozenset(), None, False),
        (frozenset(("mails",)), None, True),
        # By such a way only our own delayed jobs come in.
        (frozenset(("due",)), "due", False),
        (frozenset(), "amq.topic", True),
    ],
)
def test_strangers_on_the_default_exchange_could_lose_messages(
    ours_alone: frozenset[str], source: str | None, is_safe: bool
) -> None:
    bindings = () if source is None else (BindingSpec(source=source, destination="mails", key="mails"),)
    wanted = Blueprint(queues=(QUEUE,), bindings=bindings)
    live = replace(wanted, queues=(replace(QUEUE, durable=False),))
    [found] = plan(wanted, live, Scope(ours_alone=ours_alone))
    assert found.is_safe == is_safe
    assert is_safe or "default exchange" in str(found.risks[0])


@pytest.mark.parametrize(
    ("found", "wanted", "scope", "loses", "why"),
    [
        ({"arguments": {"x-single-active-consumer": True}}, {}, {}, "order", "in order"),
        ({"durable": False}, {}, {"ordered": frozenset(("mails",))}, "order", "in order"),
        ({"auto_delete": True}, {}, {"crowds": {"mails": Crowd(messages=1, consumers=2)}}, "messages", "auto_delete"),
        ({"type": "stream"}, {}, {}, "messages", "stream"),
        (
            {}, {"arguments": {"x-max-length": 5}}, {"crowds": {"mails": Crowd(messages=6, consumers=0)}}, "messages",
            "6 messages",
        ),
    ],
)  # fmt: skip
def test_what_a_queue_itself_makes_dangerous(
    found: dict[str, Any], wanted: dict[str, Any], scope: dict[str, Any], loses: str, why: str
) -> None:
    [risk] = replacement(found, wanted, **scope).risks
    assert risk.loses == loses
    assert why in str(risk)


def test_our_own_senders_may_lose_what_they_send_to_one_of_very_many_queues() -> None:
    wanted, live = (Blueprint(queues=(replace(QUEUE, durable=durable),)) for durable in (True, False))
    [found] = plan(wanted, live, Scope(ours_alone=frozenset(("mails",)), unguarded=frozenset(("mails",))))
    [risk] = found.risks
    assert "without looking" in str(risk)


def test_a_limit_that_refuses_loses_nothing() -> None:
    limits = {"arguments": {"x-max-length": 5, "x-overflow": "reject-publish"}}
    assert replacement({}, limits, crowds={"mails": Crowd(messages=6, consumers=0)}).is_safe


def test_an_exchange_is_replaced_safely_only_if_nobody_else_needs_it() -> None:
    wanted = replace(
        WANTED,
        exchanges=(EXCHANGE, ExchangeSpec(name="front", type="topic", arguments={"alternate-exchange": "post"})),
        queues=(QUEUE, QueueSpec(name="bills", type="classic", arguments={"x-dead-letter-exchange": "post"})),
    )
    live = replace(wanted, exchanges=(replace(EXCHANGE, type="topic"), wanted.exchanges[0]))
    [found] = plan(wanted, live)
    assert [risk.loses for risk in found.risks] == ["messages"] * 3
    assert ["'bills'" in str(found.risks[1]), "'front'" in str(found.risks[2])] == [True, True]
    alone = replace(WANTED, exchanges=(replace(EXCHANGE, type="topic"),))
    assert plan(WANTED, alone, Scope(ours_alone=frozenset(("post",))))[0].is_safe


def test_dead_letters_by_a_policy_count_too_unless_they_wait() -> None:
    policy = PolicySpec(name="p", pattern=".", definition={"dead-letter-exchange": "post"})
    wanted = replace(WANTED, policies=(policy,))
    live = replace(wanted, exchanges=(replace(EXCHANGE, durable=False),))
    scope = Scope(ours_alone=frozenset(("post",)))
    assert "'mails'" in str(plan(wanted, live, scope)[0].risks[0])
    waiting = replace(QUEUE, type="quorum", arguments={"x-dead-letter-strategy": "at-least-once"})
    assert plan(replace(wanted, queues=(waiting,)), replace(live, queues=(waiting,)), scope)[0].is_safe


@pytest.mark.parametrize(
    ("messages", "strangers", "is_wanted", "is_safe"),
    [
        (0, (), False, True),
        (1, (), False, False),
        (None, (), False, False),
        # Somebody could fill it in the meantime.
        (0, ("TaskIQ",), False, False),
        (0, None, False, False),
        (0, (), True, False),
    ],
)
def test_a_queue_that_stays_empty_has_no_dead_letters(
    messages: int | None, strangers: tuple[str, ...] | None, is_wanted: bool, is_safe: bool
) -> None:
    straight = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "mails"}
    later = QueueSpec(name="mails.delay", type="classic", arguments=straight)
    wanted = replace(WANTED, queues=(QUEUE, later) if is_wanted else (QUEUE,))
    live = replace(WANTED, queues=(replace(QUEUE, durable=False), later))
    scope = Scope(strangers=strangers, crowds={"mails.delay": Crowd(messages=messages)})
    found = next(each for each in plan(wanted, live, scope) if each.change == "replace queue")
    assert found.is_safe == is_safe


@pytest.mark.parametrize(("messages", "is_safe"), [(6, False), (5, True), (None, True)])
def test_a_policy_that_is_too_tight_would_drop_messages(messages: int | None, is_safe: bool) -> None:
    wanted = replace(WANTED, policies=(PolicySpec(name="p", pattern=".", definition={"max-length": 5}),))
    [found] = plan(wanted, WANTED, Scope(crowds={"mails": Crowd(messages=messages)}))
    assert (found.change, found.is_safe) == ("policy", is_safe)


def by_policy(name: str, pattern: str, definition: dict[str, Any], priority: int = 0) -> PolicySpec:
    return PolicySpec(name=name, pattern=pattern, definition=definition, priority=priority, apply_to="queues")


@pytest.mark.parametrize(
    ("policies", "is_safe"),
    [
        ((), True),
        # The same counts for the queue itself.
        ((by_policy("all", "^mails", {"max-length": 5}),), True),
        ((by_policy("all", "^mails", {"message-ttl": 1000}), by_policy("own", "^mails$", {}, 1)), False),
        ((by_policy("v1", r"\.v1$", {"max-length": 5}),), False),
        ((by_policy("v1", r"\.v1$", {"max-length-bytes": 5}),), False),
        # What is refused is sent again.
        ((by_policy("v1", r"\.v1$", {"max-length": 5, "overflow": "reject-publish"}),), True),
        ((by_policy("all", "^mails", {"max-length": 5}), by_policy("v1", r"\.v1$", {"max-length": 9}, 1)), True),
        ((by_policy("v1", r"\.v1$", {"expires": 60_000}),), False),
        ((by_policy("all", "", {"expires": 60_000}),), False),
        # Far away.
        ((by_policy("v1", r"\.v1$", {"expires": 86_400_000, "message-ttl": 86_400_000}),), True),
        ((by_policy("v1", r"\.v1$", {"max-length": 1000}),), True),
        ((by_policy("v1", r"\.v1$", {"queue-mode": "lazy"}),), True),
    ],
)
@pytest.mark.parametrize("is_operators", [False, True])
def test_a_stand_in_must_not_lose_messages_by_policies(
    policies: tuple[PolicySpec, ...], is_safe: bool, is_operators: bool
) -> None:
    live = replace(WANTED, queues=(replace(QUEUE, durable=False),), policies=() if is_operators else policies)
    crowds = {"mails": Crowd(messages=3, consumers=0)}
    found = plan(WANTED, live, Scope(operator_policies=policies if is_operators else (), crowds=crowds))
    difference = next(each for each in found if each.change == "replace queue")
    assert difference.is_safe == is_safe
    assert is_safe or "mails.swap.v1" in str(difference.risks[-1])


def test_a_queue_that_goes_when_nobody_uses_it_could_go_with_its_messages() -> None:
    [risk] = replacement({"arguments": {"x-expires": 60_000}}).risks
    assert "60000 ms" in str(risk)


@pytest.mark.parametrize(("size", "is_mendable"), [(237, True), (238, False)])
def test_what_has_too_long_a_name_for_a_stand_in_cannot_be_replaced(size: int, is_mendable: bool) -> None:
    queue = QueueSpec(name="q" * size, type="classic")
    exchange = ExchangeSpec(name="x" * (size + 10), type="direct")
    wanted = Blueprint(queues=(queue,), exchanges=(exchange,))
    live = Blueprint(queues=(replace(queue, durable=False),), exchanges=(replace(exchange, durable=False),))
    found = plan(wanted, live)
    assert [each.mendable for each in found] == [is_mendable] * 2
    assert all(is_mendable or "its name leaves no room" in each.why for each in found)
