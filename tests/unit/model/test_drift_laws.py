"""Equal blueprints have no differences, and every single change has exactly its class."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.difference import Scope
from goatherd.model.drift import plan
from tests.unit.model.drift_mending import mend

NAMES = st.sampled_from(["a", "b", "c", "shop.mails", "shop.bills"])
KEYS = st.sampled_from(["", "#", "a.b", "c"])
ARGUMENTS: st.SearchStrategy[Mapping[str, Any]] = st.dictionaries(
    st.sampled_from(["x-message-ttl", "x-max-length", "x-dead-letter-exchange", "x-single-active-consumer"]),
    st.one_of(st.integers(0, 9), st.booleans(), st.sampled_from(["", "a"])),
    max_size=3,
)
FLAGS = st.booleans()


@st.composite
def blueprints(draw: st.DrawFn) -> Blueprint:
    exchanges = [
        ExchangeSpec(
            name=name, type=draw(st.sampled_from(["direct", "topic"])), durable=draw(FLAGS), internal=draw(FLAGS)
        )
        for name in draw(st.sets(NAMES, min_size=1))
    ]
    queues = [
        QueueSpec(
            name=name, type=draw(st.sampled_from([None, "classic", "quorum"])), durable=draw(FLAGS),
            arguments=draw(ARGUMENTS),
        )
        for name in draw(st.sets(NAMES, min_size=1))
    ]  # fmt: skip
    bindings = draw(
        st.sets(
            st.builds(
                BindingSpec,
                source=st.sampled_from([each.name for each in exchanges]),
                destination=st.sampled_from([each.name for each in queues]),
                key=KEYS,
            ),
            min_size=1,
        )
    )
    # Each policy is about one queue of its own, so that none stands in the way of another.
    policies = [
        PolicySpec(name=name, pattern=f"^{name}$", definition={"queue-mode": "lazy"}, priority=draw(st.integers(0, 2)))
        for name in draw(st.sets(NAMES, min_size=1))
    ]
    return Blueprint(
        exchanges=tuple(exchanges), queues=tuple(queues), bindings=tuple(bindings), policies=tuple(policies)
    )


@given(blueprints())
def test_equal_blueprints_have_no_differences(blueprint: Blueprint) -> None:
    assert plan(blueprint, blueprint) == []


def without(blueprint: Blueprint, part: str, place: int) -> tuple[Any, Blueprint]:
    specs = getattr(blueprint, part)
    gone = specs[place % len(specs)]
    rest: dict[str, Any] = {part: tuple(each for each in specs if each != gone)}
    return gone, replace(blueprint, **rest)


PARTS = {"exchanges": "create", "queues": "create", "bindings": "bind", "policies": "policy"}


@given(blueprints(), st.sampled_from(sorted(PARTS)), st.integers(0, 9))
def test_what_is_missing_is_made_and_nothing_else(wanted: Blueprint, part: str, place: int) -> None:
    gone, live = without(wanted, part, place)
    [found] = plan(wanted, live)
    assert found.change == PARTS[part]
    assert gone in (found.binding, wanted.exchange(found.name), wanted.queue(found.name), wanted.policy(found.name))
    assert all(detail.found is None for detail in found.details)


@given(blueprints(), st.integers(0, 9))
def test_a_way_that_is_not_wanted_is_closed(live: Blueprint, place: int) -> None:
    gone, wanted = without(live, "bindings", place)
    [found] = plan(wanted, live)
    assert (found.change, found.binding) == ("unbind", gone)


def changed(spec: Any, field: str, argument: str) -> Any:
    value = getattr(spec, field)
    if isinstance(value, bool):
        return replace(spec, **{field: not value})
    if isinstance(value, int):
        return replace(spec, **{field: value + 1})
    if isinstance(value, Mapping):
        return replace(spec, **{field: {**value, argument: "otherwise"}})
    return replace(spec, **{field: {"direct": "fanout", "quorum": "classic"}.get(str(value), "quorum")})


CHANGES = {
    "exchanges": ("replace exchange", ["type", "durable", "auto_delete", "internal", "arguments"]),
    "queues": ("replace queue", ["type", "durable", "auto_delete", "arguments"]),
    "policies": ("policy", ["pattern", "definition", "priority"]),
}


@settings(max_examples=200)
@given(blueprints(), st.sampled_from(sorted(CHANGES)), st.integers(0, 9), st.data())
def test_every_change_has_its_class_and_names_what_differs(
    wanted: Blueprint, part: str, place: int, data: st.DataObject
) -> None:
    change, names = CHANGES[part]
    field = data.draw(st.sampled_from(names))
    argument = data.draw(st.sampled_from(["x-new", "x-message-ttl"]))
    spec, rest = without(wanted, part, place)
    other = changed(spec, field, argument)
    parts: dict[str, Any] = {part: (*getattr(rest, part), other)}
    live = replace(rest, **parts)
    [found] = plan(wanted, live)
    assert (found.change, found.name) == (change, spec.name)
    expected = f"{field}.{argument}" if field in ("arguments", "definition") else field
    [detail] = found.details
    assert detail.field == expected


@settings(max_examples=200)
@given(blueprints(), blueprints(), st.sampled_from([(), ("shop.",)]))
def test_from_any_state_the_changes_in_their_order_lead_to_the_definition(
    wanted: Blueprint, live: Blueprint, prefixes: tuple[str, ...]
) -> None:
    scope = Scope(prefixes=prefixes)
    for difference in plan(wanted, live, scope):
        live = mend(live, wanted, difference)
    assert [each for each in plan(wanted, live, scope) if each.mendable] == []
    assert set(wanted.bindings) <= set(live.bindings)
    assert set(wanted.policies) <= set(live.policies)
