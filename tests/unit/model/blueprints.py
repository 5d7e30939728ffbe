"""Blueprints of every kind, for tests that must hold for all of them."""

from typing import get_args

from hypothesis import strategies as st

from goatherd.model.blueprint import ApplyTo, BindingSpec, Blueprint, ExchangeSpec, PolicySpec, QueueSpec

#: Names as people choose them, and as nobody should.
NAMES = st.one_of(
    st.sampled_from(["a", "A", "a.b", "a-b", "a_b", "on", "1e3", "0x1f", "null", "chat.process", "Ünder score", "~"]),
    st.text(min_size=1, max_size=20),
)
VALUES = st.one_of(
    st.text(max_size=10),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.none(),
    st.lists(st.one_of(st.text(max_size=5), st.integers(0, 9), st.booleans()), max_size=3),
    st.dictionaries(st.text(max_size=5), st.integers(0, 9), max_size=2),
)
ARGUMENTS = st.dictionaries(
    st.one_of(st.sampled_from(["x-message-ttl", "x-max-length", "yes"]), st.text(max_size=8)), VALUES, max_size=3
).filter(lambda found: "x-queue-type" not in found)


def blueprints(*, internal: bool = True) -> st.SearchStrategy[Blueprint]:
    """All of them; without `internal` those that the topology operator can express."""
    exchanges = st.builds(
        ExchangeSpec,
        name=NAMES,
        type=st.sampled_from(["direct", "fanout", "headers", "topic", "x-delayed-message"]),
        durable=st.booleans(),
        auto_delete=st.booleans(),
        internal=st.booleans() if internal else st.just(False),
        arguments=ARGUMENTS,
    )
    queues = st.builds(
        QueueSpec,
        name=NAMES,
        type=st.sampled_from([None, "classic", "quorum", "stream"]),
        durable=st.booleans(),
        auto_delete=st.booleans(),
        arguments=ARGUMENTS,
    )
    bindings = st.builds(
        BindingSpec,
        source=NAMES,
        destination=NAMES,
        destination_type=st.sampled_from(["queue", "exchange"]),
        key=st.one_of(st.just(""), NAMES),
        arguments=ARGUMENTS,
    )
    policies = st.builds(
        PolicySpec,
        name=NAMES,
        pattern=st.text(max_size=10),
        apply_to=st.sampled_from(get_args(ApplyTo)),
        definition=ARGUMENTS,
        priority=st.integers(-10, 10),
    )

    def some(kind: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
        return st.lists(kind, max_size=4, unique_by=lambda each: getattr(each, "name", each)).map(tuple)

    return st.builds(
        Blueprint,
        vhost=st.one_of(st.just("/"), NAMES),
        exchanges=some(exchanges),
        queues=some(queues),
        bindings=some(bindings),
        policies=some(policies),
    )
