import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

from rich.console import Console

from benchmarks.contender import Named, Promise
from benchmarks.measures import Plan
from benchmarks.report import Outcome, as_json, compare, compared
from benchmarks.settings import Entry
from benchmarks.table import print_all, shown

FACTS = {"cores": 2, "load": 0.1, "sync_ms": 0.5, "file_system": "ext4"}


def outcome(name: str, runs: Sequence[dict[str, Any]], *, synced: bool = True, shared: bool = True) -> Outcome:
    promise = Promise(delivery="at least once", synced=synced, shared=shared, note="as it is")
    contender = cast(Named, SimpleNamespace(label=name, package="goatherd", promise=promise))
    return Outcome(entry=Entry(setting="sqlite", name=name), contender=contender, samples=runs)


OUTCOMES = [
    outcome("goatherd", [{"drain": 900.0, "drain_cpu": 50.0, "batch": 7.0}]),
    outcome("goatherd_full", [{"drain": 1.0}]),
    outcome("slow", [{"drain": 100.0, "drain_cpu": 200.0}]),
    outcome("unsafe", [{"drain": 300.0, "drain_cpu": 25.0}], synced=False),
    outcome("lonely", [{"drain": 250.0}], shared=False),
]


def test_the_best_like_peer_is_one_with_a_like_promise() -> None:
    ratios = {one.measure.key: (one.peer, one.ratio) for one in compare(OUTCOMES[0], OUTCOMES, alike=True)}
    assert ratios == {"drain": ("slow", 9.0), "drain_cpu": ("slow", 4.0)}


def test_the_best_of_all_may_promise_less() -> None:
    ratios = {one.measure.key: (one.peer, one.ratio) for one in compare(OUTCOMES[0], OUTCOMES, alike=False)}
    assert ratios == {"drain": ("unsafe", 3.0), "drain_cpu": ("unsafe", 0.5)}


def test_without_goatherd_there_is_nothing_to_compare() -> None:
    assert compared(OUTCOMES[2:]) == []


def test_the_first_of_ours_is_compared_or_those_that_the_setting_names() -> None:
    assert compared(OUTCOMES) == OUTCOMES[:1]
    assert compared(OUTCOMES[1:]) == OUTCOMES[1:2]
    calls = [
        Outcome(entry=Entry(setting="rabbitmq_rpc", name=name), contender=OUTCOMES[0].contender, samples=[])
        for name in ("goatherd", "goatherd_exclusive", "goatherd_sync", "pika")
    ]
    assert [one.entry.name for one in compared(calls)] == ["goatherd", "goatherd_sync"]


def test_the_report_holds_every_run_and_is_json() -> None:
    told = json.loads(json.dumps(as_json(FACTS, Plan(), OUTCOMES)))
    assert told["settings"]["sqlite"]["contenders"]["slow"]["runs"] == [{"drain": 100.0, "drain_cpu": 200.0}]
    assert told["settings"]["sqlite"]["ratios"]["goatherd"]["to_the_best_like_peer"]["drain"] == {
        "ratio": 9.0,
        "peer": "slow",
    }


def test_the_tables_name_every_contender() -> None:
    console = Console(record=True, file=None, quiet=False, width=120)
    with console.capture() as printed:
        print_all(console, FACTS, Plan(), OUTCOMES)
    assert all(one.contender.label in printed.get() for one in OUTCOMES)


def test_what_all_promise_alike_is_compared_once_and_told_once() -> None:
    both = [
        Outcome(entry=Entry(setting=setting, name=one.entry.name), contender=one.contender, samples=one.samples)
        for setting in ("rabbitmq", "rabbitmq_classic")
        for one in (OUTCOMES[0], OUTCOMES[2])
    ]
    console = Console(record=True, file=None, quiet=False, width=120)
    with console.capture() as printed:
        print_all(console, FACTS, Plan(), both)
    assert printed.get().count("promises") == 1
    assert "best of all" not in printed.get()


def test_a_program_that_is_no_package_has_no_version() -> None:
    promise = OUTCOMES[0].contender.promise
    floor = cast(Named, SimpleNamespace(label="C", package="", promise=promise))
    assert not Outcome(entry=Entry(setting="rabbitmq_bare", name="floor"), contender=floor, samples=[]).version


def test_figures_show_three_digits_and_gaps_a_dash() -> None:
    assert [shown(value) for value in (12345.6, 45.67, 2.345, None)] == ["12,346", "45.7", "2.35", "-"]
