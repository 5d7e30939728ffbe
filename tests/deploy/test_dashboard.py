"""Grafana's dashboard asks for metrics that there are, in queries that Prometheus understands."""

import functools
import json
import re
import subprocess
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from scripts.servers.addresses import promtool
from tests.deploy.metric_names import metrics_in, shipped_metrics
from tests.deploy.places import DEPLOY

#: Metrics that no panel shows.
LEFT_OUT = {
    "goatherd_run_seconds_count", "goatherd_run_seconds_sum",
    "goatherd_wait_seconds_count", "goatherd_wait_seconds_sum",
    "goatherd_call_seconds_count", "goatherd_call_seconds_sum",
    "sse_gateway_ttfb_seconds_count", "sse_gateway_ttfb_seconds_sum",
}  # fmt: skip


@functools.cache
def dashboard() -> dict[str, Any]:
    told: dict[str, Any] = json.loads((DEPLOY / "grafana" / "goatherd.json").read_text(encoding="utf-8"))
    return told


def queries() -> Iterator[tuple[str, str, str]]:
    """Every query with the title of its panel and its legend."""
    for panel in dashboard()["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"], target["legendFormat"]


def test_panels_ask_for_metrics_that_there_are() -> None:
    for title, query, _ in queries():
        assert metrics_in(query), title
        assert metrics_in(query) <= shipped_metrics(), title


def test_every_metric_is_shown() -> None:
    shown = {name for _, query, _ in queries() for name in metrics_in(query)}
    assert shipped_metrics() - shown == LEFT_OUT


def test_what_all_processes_share_is_not_summed_over_them() -> None:
    shared = re.compile(r"sum(?: by \([^)]*\))? \(goatherd_(?:queue|schedule|lanes|tally|seen|dead_letters_kept)")
    assert [title for title, query, _ in queries() if shared.search(query)] == []


def test_legends_name_labels_that_the_query_keeps() -> None:
    for title, query, legend in queries():
        kept = {label for labels in re.findall(r" by \(([^)]*)\)", query) for label in labels.split(", ")}
        assert set(re.findall(r"{{(\w+)}}", legend)) <= kept, title


def test_every_query_is_about_the_apps_that_are_chosen() -> None:
    variables = {variable["name"] for variable in dashboard()["templating"]["list"]}
    for title, query, _ in queries():
        selectors = re.findall(r"(?:goatherd|sse_gateway)_\w+({[^}]*})?", query)
        assert all('job=~"$job"' in selector for selector in selectors), title
        assert set(re.findall(r"\$(\w+)", query)) <= variables | {"__rate_interval"}, title


def test_panels_have_places_of_their_own() -> None:
    panels = dashboard()["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    places = [(panel["title"], panel["gridPos"]) for panel in panels]
    assert all(place["x"] >= 0 and place["x"] + place["w"] <= 24 for _, place in places)
    assert [(one, other) for (one, here), (other, there) in combinations(places, 2) if _overlap(here, there)] == []
    assert all(panel["description"] for panel in panels if panel["type"] != "row")


def _overlap(one: dict[str, int], other: dict[str, int]) -> bool:
    def meet(axis: str, size: str) -> bool:
        return one[axis] < other[axis] + other[size] and other[axis] < one[axis] + one[size]

    return meet("x", "w") and meet("y", "h")


@pytest.mark.servers("promtool")
def test_prometheus_understands_every_query(tmp_path: Path) -> None:
    chosen = {"__rate_interval": "1m", "job": ".*", "queue": ".*"}
    filled = [re.sub(r"\$(\w+)", lambda name: chosen[name[1]], query) for _, query, _ in queries()]
    rules = [{"record": f"query:{number}", "expr": query} for number, query in enumerate(filled)]
    path = tmp_path / "queries.yaml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    done = subprocess.run(
        [promtool(), "check", "rules", str(path)], capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 0, done.stdout + done.stderr
