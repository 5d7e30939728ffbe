"""Which policy counts, and where it does not."""

from dataclasses import replace

import pytest

from goatherd.model.blueprint import Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.difference import Detail, Scope
from goatherd.model.drift import plan
from goatherd.model.policies import fits, policy_of
from goatherd.model.shadows import in_force

QUEUE = QueueSpec(name="shop.mails")
OURS = PolicySpec(name="ours", pattern="^shop", apply_to="queues", definition={"dead-letter-exchange": "dlx"})
WANTED = Blueprint(queues=(QUEUE,), policies=(OURS,))


@pytest.mark.parametrize(
    ("apply_to", "fitting"),
    [
        ("queues", ["classic", "quorum", "stream", None]),
        ("classic_queues", ["classic", None]),
        ("quorum_queues", ["quorum"]),
        ("streams", ["stream"]),
        ("exchanges", ["exchange"]),
        ("all", ["classic", "quorum", "stream", None, "exchange"]),
    ],
)
def test_a_policy_is_for_some_kinds(apply_to: str, fitting: list[str | None]) -> None:
    policy = PolicySpec(name="p", pattern="mails", apply_to=apply_to)  # type: ignore[arg-type]  # it is one of them
    things = {each: QueueSpec(name="shop.mails", type=each) for each in ("classic", "quorum", "stream", None)}
    exchange = ExchangeSpec(name="shop.mails", type="topic")
    found = [kind for kind, queue in things.items() if fits(policy, queue)]
    assert found + ["exchange"] * fits(policy, exchange) == fitting


def test_only_the_highest_priority_counts() -> None:
    policies = [PolicySpec(name=name, pattern=".", priority=priority) for name, priority in (("a", 1), ("b", 3))]
    assert policy_of(QUEUE, policies) == policies[1]
    assert policy_of(QUEUE, [PolicySpec(name="c", pattern="^mails")]) is None


@pytest.mark.parametrize(
    ("key", "kind"), [("delivery-limit", "classic"), ("queue-mode", "quorum"), ("expires", "stream")]
)
def test_a_policy_with_a_key_that_a_type_does_not_know_is_not_for_it(key: str, kind: str) -> None:
    policy = PolicySpec(name="p", pattern=".", definition={key: 1, "max-length-bytes": 9})
    assert not fits(policy, replace(QUEUE, type=kind))
    assert fits(policy, ExchangeSpec(name="shop", type="topic"))


def test_a_pattern_that_cannot_be_read_fits_nothing_and_is_told(caplog: pytest.LogCaptureFixture) -> None:
    assert policy_of(QUEUE, [PolicySpec(name="odd", pattern="(?<shop")]) is None
    assert "'odd'" in caplog.text


@pytest.mark.parametrize(
    ("argument", "own", "policy", "kind", "counts"),
    [
        ("dead-letter-exchange", "mine", "theirs", "classic", "mine"),
        ("message-ttl", 5, 9, "classic", 5),
        ("message-ttl", 9, 5, "classic", 5),
        ("delivery-limit", -1, 5, "quorum", 5),
        ("overflow", "drop-head", "reject-publish", "classic", "drop-head"),
        ("overflow", "drop-head", "reject-publish", "quorum", "reject-publish"),
    ],
)
def test_an_argument_goes_first_but_the_lower_limit_counts(
    argument: str, own: object, policy: object, kind: str, counts: object
) -> None:
    queue = QueueSpec(name="q", type=kind, arguments={f"x-{argument}": own})
    rule = PolicySpec(name="p", pattern=".", definition={argument: policy, "queue-mode": "lazy"})
    assert in_force(queue, rule, "classic") == {argument: counts, "queue-mode": "lazy"}


def test_an_argument_that_nobody_wants_takes_the_effect_from_a_policy() -> None:
    live = replace(WANTED, queues=(replace(QUEUE, arguments={"x-dead-letter-exchange": "old"}),))
    replaced, shadowed = plan(WANTED, live)
    assert (replaced.change, shadowed.change) == ("replace queue", "shadowed")
    assert shadowed.details == (Detail(field="dead-letter-exchange", wanted="dlx", found="old"),)
    assert "'ours'" in shadowed.why


def test_a_contradiction_of_the_definition_itself_is_no_difference() -> None:
    wanted = replace(WANTED, queues=(replace(QUEUE, arguments={"x-dead-letter-exchange": "mine"}),))
    assert plan(wanted, wanted) == []


def test_the_policy_of_a_stranger_that_goes_first_is_told_and_left_alone() -> None:
    stranger = PolicySpec(name="all", pattern="", definition={"message-ttl": 5, "queue-mode": "lazy"}, priority=9)
    [found] = plan(WANTED, replace(WANTED, policies=(OURS, stranger)))
    assert (found.change, found.name, found.mendable) == ("shadowed", "shop.mails", False)
    assert found.details == (
        Detail(field="dead-letter-exchange", wanted="dlx", found=None),
        Detail(field="message-ttl", wanted=None, found=5),
    )
    assert "'all'" in found.why


def test_the_policy_of_a_stranger_that_changes_nothing_of_weight_is_not_told() -> None:
    wanted = replace(WANTED, policies=())
    stranger = PolicySpec(name="all", pattern="", definition={"queue-mode": "lazy"})
    assert plan(wanted, replace(wanted, policies=(stranger,))) == []


def test_a_policy_of_ours_that_is_left_over_shadows_nothing_because_it_goes() -> None:
    old = replace(OURS, name="shop.old", priority=9, definition={"message-ttl": 1})
    [found] = plan(WANTED, replace(WANTED, policies=(OURS, old)), Scope(prefixes=("shop.",)))
    assert (found.change, found.name) == ("orphan", "shop.old")
