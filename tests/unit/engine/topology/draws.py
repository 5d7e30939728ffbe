"""Small brokers and definitions, for what must hold for any two of them."""

from hypothesis import strategies as st

from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.definition import Definition
from goatherd.model.difference import Scope
from goatherd.model.survey import Survey

NAMES = ["a", "b", "app.c", "app.d"]
KEYS = ["", "#", "a", "b.a", "*.a"]
TYPES = st.sampled_from(["direct", "topic", "fanout", "headers"])


@st.composite
def _queue(draw: st.DrawFn, name: str) -> QueueSpec:
    kind = draw(st.sampled_from([None, "classic", "quorum"]))
    arguments: dict[str, object] = {}
    if draw(st.booleans()):
        arguments["x-message-ttl"] = draw(st.sampled_from([600_000, 900_000]))
    if draw(st.booleans()):
        arguments["x-dead-letter-exchange"] = draw(st.sampled_from(["", *NAMES]))
        arguments["x-dead-letter-routing-key"] = draw(st.sampled_from(NAMES))
    return QueueSpec(name=name, type=kind, durable=kind != "classic" or draw(st.booleans()), arguments=arguments)


@st.composite
def blueprints(draw: st.DrawFn) -> Blueprint:
    """Small ones, that a broker can have."""
    exchanges = tuple(
        ExchangeSpec(name=name, type=draw(TYPES), durable=draw(st.booleans()))
        for name in draw(st.sets(st.sampled_from(NAMES)))
    )
    queues = tuple(draw(_queue(name)) for name in draw(st.sets(st.sampled_from(NAMES))))
    ends = [("queue", each.name) for each in queues] + [("exchange", each.name) for each in exchanges]
    ways: set[BindingSpec] = set()
    if exchanges and ends:
        source, end = st.sampled_from([each.name for each in exchanges]), st.sampled_from(ends)
        for name, (kind, goal), key in draw(st.sets(st.tuples(source, end, st.sampled_from(KEYS)), max_size=6)):
            ways.add(BindingSpec(source=name, destination=goal, destination_type=kind, key=key))
    policies = tuple(
        PolicySpec(name=name, pattern=f"^{name}$", definition={"queue-mode": "lazy"}, priority=draw(st.integers(0, 1)))
        for name in draw(st.sets(st.sampled_from(NAMES), max_size=2))
    )
    return Blueprint(exchanges=exchanges, queues=queues, bindings=tuple(ways), policies=policies)


def definition(wanted: Blueprint) -> Definition:
    def scope(seen: Survey) -> Scope:
        crowds, strangers = seen.crowds, seen.strangers
        passing = (r".*\.paused\.v1", r".*\.swap\.v1")
        return Scope(
            prefixes=("app.",), passing=passing, default_type=seen.default_type, crowds=crowds, strangers=strangers
        )

    return Definition(blueprint=wanted, scope=scope)
