from io import StringIO
from types import SimpleNamespace
from typing import cast

import pytest
from rich.console import Console

from benchmarks.contender import Named, Promise
from benchmarks.lanes.pairs import PAIRS, as_json, pairs_in
from benchmarks.lanes.table import print_lanes
from benchmarks.report import Outcome
from benchmarks.settings import SETTINGS, Entry


def outcome(setting: str, name: str, drain: float) -> Outcome:
    promise = Promise(delivery="at least once", synced=True, note="as it is")
    contender = cast(Named, SimpleNamespace(label=name, package="goatherd", promise=promise, keeps_order=True))
    return Outcome(entry=Entry(setting=setting, name=name), contender=contender, samples=[{"drain": drain}])


LANES = [outcome("lanes", "goatherd_redis", 600.0), outcome("lanes", "unkeyed_rabbitmq", 1000.0)]


def test_a_pair_is_told_if_both_were_measured() -> None:
    assert [(pair.ratio, pair.goal) for pair in pairs_in("lanes", LANES)] == [(0.6, 0.3)]
    assert as_json("lanes", LANES) == [
        {"of": "goatherd_redis", "to": "unkeyed_rabbitmq", "measure": "drain", "ratio": 0.6, "goal": 0.3}
    ]
    assert not pairs_in("lanes", LANES[:1])
    assert not pairs_in("sqlite", LANES)


def test_pairs_name_contenders_of_their_setting() -> None:
    for setting, pairs in PAIRS.items():
        assert {name for ours, theirs, _ in pairs for name in (ours, theirs)} <= set(SETTINGS[setting].names)


@pytest.mark.parametrize("setting", ["lanes", "lanes_postgres", "lanes_keys"])
def test_the_table_has_a_line_for_each(setting: str) -> None:
    paper = StringIO()
    group = [outcome(setting, name, 10.0) for name in SETTINGS[setting].names]
    print_lanes(Console(width=200, file=paper), setting, group)
    told = paper.getvalue()
    assert all(name in told for name in SETTINGS[setting].names)
    assert ("ratios" in told) == (setting in PAIRS)
