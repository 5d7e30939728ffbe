"""Equal blueprints mean the same, and what contradicts another is named with both sides."""

import random
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goatherd.errors import DefinitionError
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, PolicySpec, QueueSpec, differing
from goatherd.model.broker_arguments import Arguments, same_value
from tests.unit.model.blueprints import blueprints

_T = TypeVar("_T")


@settings(max_examples=50, deadline=None)
@given(blueprints(), st.randoms(use_true_random=False))
def test_the_order_in_which_things_are_said_does_not_matter(blueprint: Blueprint, chance: random.Random) -> None:
    def mixed(pieces: tuple[_T, ...]) -> tuple[_T, ...]:
        return tuple(chance.sample(pieces * 2, len(pieces) * 2))

    again = Blueprint(
        vhost=blueprint.vhost,
        exchanges=mixed(blueprint.exchanges),
        queues=mixed(blueprint.queues),
        bindings=mixed(blueprint.bindings),
        policies=mixed(blueprint.policies),
    )
    assert again == blueprint
    assert hash(again) == hash(blueprint)


@settings(max_examples=50, deadline=None)
@given(blueprints())
def test_a_blueprint_merged_with_itself_or_nothing_stays_the_same(blueprint: Blueprint) -> None:
    assert blueprint.merged(blueprint) == blueprint
    assert blueprint.merged(Blueprint(vhost=blueprint.vhost)) == blueprint


@pytest.mark.parametrize(("one", "other"), [(True, 1), (1, 1.0), (False, 0), ([1], [True]), ({"a": 1}, {"a": True})])
def test_values_of_other_types_are_other_values(one: object, other: object) -> None:
    assert one == other
    assert not same_value(one, other)
    assert Arguments({"x": one}) != Arguments({"x": other})
    assert QueueSpec(name="a", arguments={"x": one}) != QueueSpec(name="a", arguments={"x": other})


def test_an_argument_that_is_missing_is_not_one_that_is_nothing() -> None:
    with_nothing = QueueSpec(name="a", arguments={"x": None})
    assert with_nothing != QueueSpec(name="a")
    assert differing(with_nothing, QueueSpec(name="a")) == [("arguments.x", None, None)]


def test_what_is_said_differently_is_named_with_both_sides() -> None:
    code = Blueprint(
        queues=(QueueSpec(name="mail", type="quorum", arguments={"x-message-ttl": 5}),),
        exchanges=(ExchangeSpec(name="sales", type="topic"),),
        policies=(PolicySpec(name="long", pattern="^a", definition={"max-length": 1}),),
    )
    file = Blueprint(
        queues=(QueueSpec(name="mail", type="classic", arguments={"x-expires": 7}),),
        exchanges=(ExchangeSpec(name="sales", type="direct", durable=False),),
        policies=(PolicySpec(name="long", pattern="^a", definition={"max-length": 2}),),
    )
    with pytest.raises(DefinitionError) as caught:
        code.merged(file, here="the code", there="topology.yaml")
    for said in (
        "The exchange 'sales' has type='topic' in the code and 'direct' in topology.yaml.",
        "The exchange 'sales' has durable=True in the code and False in topology.yaml.",
        "The queue 'mail' has type='quorum' in the code and 'classic' in topology.yaml.",
        "The queue 'mail' has arguments.x-expires=None in the code and 7 in topology.yaml.",
        "The queue 'mail' has arguments.x-message-ttl=5 in the code and None in topology.yaml.",
        "The policy 'long' has definition.max-length=1 in the code and 2 in topology.yaml.",
    ):
        assert said in str(caught.value)


def test_who_says_no_type_agrees_with_who_says_one() -> None:
    untyped, classic = (Blueprint(queues=(QueueSpec(name="q", type=kind),)) for kind in (None, "classic"))
    assert untyped.merged(classic) == classic.merged(untyped) == classic
    with pytest.raises(DefinitionError, match=r"type='classic' in .* and 'quorum'"):
        classic.merged(Blueprint(queues=(QueueSpec(name="q", type="quorum"),)))


def test_two_virtual_hosts_are_not_mixed() -> None:
    with pytest.raises(DefinitionError, match="'/' and there about 'eco2'"):
        Blueprint().merged(Blueprint(vhost="eco2"), here="here", there="there")


def test_one_name_is_described_once() -> None:
    with pytest.raises(DefinitionError, match="The queue 'a' has durable=True"):
        Blueprint(queues=(QueueSpec(name="a"), QueueSpec(name="a", durable=False)))


def test_the_type_of_a_queue_is_no_argument() -> None:
    with pytest.raises(DefinitionError, match="say type="):
        QueueSpec(name="a", arguments={"x-queue-type": "quorum"})
    declared = QueueSpec.from_declared("a", {"x-queue-type": "quorum", "x-max-length": 3})
    assert declared == QueueSpec(name="a", type="quorum", arguments={"x-max-length": 3})
    assert declared.declared_arguments == {"x-queue-type": "quorum", "x-max-length": 3}
    assert QueueSpec(name="a").declared_arguments == {}
    with pytest.raises(DefinitionError, match="must be text"):
        QueueSpec.from_declared("a", {"x-queue-type": 3})


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (float("nan"), "finite"),
        (2**63, "64 bits"),
        (b"a", "use text"),
        ({"a": [object()]}, r"x\.a\[0\]"),
        ({1: 2}, "must be text"),
    ],
)
def test_what_no_broker_can_hold_is_refused(value: object, why: str) -> None:
    with pytest.raises(DefinitionError, match=why):
        QueueSpec(name="a", arguments={"x": value})


def test_choices_are_checked() -> None:
    with pytest.raises(DefinitionError, match="use queue, exchange"):
        BindingSpec(source="a", destination="b", destination_type="topic")  # type: ignore[arg-type]
    with pytest.raises(DefinitionError, match="quorum_queues"):
        PolicySpec(name="p", pattern="", apply_to="everything")  # type: ignore[arg-type]


def test_arguments_cannot_be_changed_from_outside() -> None:
    told = {"x": [1]}
    queue = QueueSpec(name="a", arguments=told)
    told["x"].append(2)
    queue.declared_arguments["x"].append(3)
    assert queue.arguments == {"x": [1]}
