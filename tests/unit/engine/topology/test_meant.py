"""Names choose what is mended."""

from goatherd.engine.topology.meant import meant_by
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.difference import Difference
from goatherd.model.drift import plan

WANTED = Blueprint(
    exchanges=(ExchangeSpec(name="meadow", type="direct"), ExchangeSpec(name="goats", type="fanout")),
    queues=(QueueSpec(name="goats"), QueueSpec(name="kids")),
    bindings=(
        BindingSpec(source="meadow", destination="goats", key="g"),
        BindingSpec(source="meadow", destination="kids", key="k"),
        BindingSpec(source="meadow", destination="goats", destination_type="exchange"),
    ),
    policies=(PolicySpec(name="limits", pattern="^goats"),),
)


def named(differences: list[Difference]) -> list[tuple[str, str, str]]:
    return sorted((each.change, each.kind, each.name) for each in differences)


def test_all_is_meant_where_nothing_is_named() -> None:
    everything = plan(WANTED, Blueprint())
    assert meant_by((), everything) == everything


def test_a_way_to_what_is_missing_and_not_named_stays_closed() -> None:
    everything = plan(WANTED, Blueprint())
    assert named(meant_by(["meadow", "limits"], everything)) == [
        ("create", "exchange", "meadow"),
        ("policy", "policy", "limits"),
    ]
    assert named(meant_by(["meadow", "kids"], everything)) == [
        ("bind", "binding", "meadow → kids"),
        ("create", "exchange", "meadow"),
        ("create", "queue", "kids"),
    ]


def test_a_way_to_what_is_there_is_opened_with_the_one_that_is_named() -> None:
    meadow = ExchangeSpec(name="meadow", type="direct")
    everything = plan(WANTED, Blueprint(exchanges=(meadow,), queues=(QueueSpec(name="goats"),)))
    assert named(meant_by(["goats"], everything)) == [
        ("bind", "binding", "meadow → goats"),
        ("bind", "binding", "meadow → goats"),
        ("create", "exchange", "goats"),
    ]
