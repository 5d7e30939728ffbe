"""Prometheus understands the alerting rules, and each alert fires when it should and not when it should not."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from scripts.servers.addresses import promtool
from tests.deploy.alert_cases import CASES, Case
from tests.deploy.metric_names import metrics_in, shipped_metrics
from tests.deploy.places import DEPLOY, ROLES, documents
from tests.docs.tables import read, rows

CONFIGURATION = DEPLOY / "prometheus" / "prometheus.yaml"
RULES = DEPLOY / "prometheus" / "alerts.yaml"


def alerts() -> dict[str, dict[str, Any]]:
    [document] = documents(RULES)
    return {rule["alert"]: rule for group in document["groups"] for rule in group["rules"]}


def said(*arguments: str) -> tuple[int, str]:
    """What promtool says."""
    done = subprocess.run([promtool(), *arguments], capture_output=True, text=True, check=False, timeout=100)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.servers("promtool")
def test_prometheus_understands_the_rules() -> None:
    code, text = said("check", "rules", str(RULES))
    assert code == 0, text
    assert f"SUCCESS: {len(alerts())} rules found" in text


@pytest.mark.servers("promtool")
def test_each_alert_fires_when_it_should_and_only_then(tmp_path: Path) -> None:
    [document] = documents(RULES)
    # What they say depends on numbers that are beside the point here.
    bare = [
        {"name": group["name"], "rules": [{**rule, "annotations": {}} for rule in group["rules"]]}
        for group in document["groups"]
    ]
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump({"groups": bare}))
    tests = {"rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": [_told(case) for case in CASES]}
    (tmp_path / "cases.yaml").write_text(yaml.safe_dump(tests))
    code, text = said("test", "rules", str(tmp_path / "cases.yaml"))
    assert code == 0, text


@pytest.mark.servers("promtool")
def test_a_case_that_is_wrong_is_noticed(tmp_path: Path) -> None:
    case = Case(alert="GoatherdLaneHeld", series=CASES[0].series, minutes=6, fires=[{"queue": "mail"}])
    (tmp_path / "cases.yaml").write_text(
        yaml.safe_dump({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": [_told(case)]})
    )
    code, _ = said("test", "rules", str(tmp_path / "cases.yaml"))
    assert code != 0


@pytest.mark.servers("promtool")
def test_what_alerts_say_has_their_numbers(tmp_path: Path) -> None:
    case = next(case for case in CASES if case.alert == "GoatherdQueueLag" and case.fires)
    told = _told(case)
    [expected] = told["alert_rule_test"][0]["exp_alerts"]
    expected["exp_annotations"] = {
        "summary": "Workers do not keep up with mail",
        "description": "Jobs have been waiting for 6m 40s. Start more workers, or see what holds them up.",
    }
    (tmp_path / "cases.yaml").write_text(
        yaml.safe_dump({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": [told]})
    )
    code, text = said("test", "rules", str(tmp_path / "cases.yaml"))
    assert code == 0, text


def _told(case: Case) -> dict[str, Any]:
    """A case as promtool wants it."""
    severity = alerts()[case.alert]["labels"]["severity"]
    return {
        "name": f"{case.alert} after {case.minutes} minutes",
        "interval": "1m",
        "input_series": [{"series": series, "values": values} for series, values in case.series.items()],
        "alert_rule_test": [
            {
                "alertname": case.alert,
                "eval_time": f"{case.minutes}m",
                "exp_alerts": [
                    {"exp_labels": {"job": "shop", "severity": severity, **labels}} for labels in case.fires
                ],
            }
        ],
    }


@pytest.mark.servers("promtool")
def test_prometheus_understands_its_configuration() -> None:
    code, text = said("check", "config", str(CONFIGURATION))
    assert code == 0, text
    assert f"SUCCESS: {len(alerts())} rules found" in text


def test_every_role_of_the_compose_file_is_scraped() -> None:
    [document] = documents(CONFIGURATION)
    [job] = document["scrape_configs"]
    scraped = {name: each["port"] for each in job["dns_sd_configs"] for name in each["names"]}
    assert set(scraped) == set(ROLES)
    [compose] = documents(DEPLOY / "compose.yaml")
    for role, port in scraped.items():
        assert str(port) in compose["services"][role]["command"], role


def test_each_alert_has_a_case_that_fires_and_one_that_does_not() -> None:
    assert {case.alert for case in CASES if case.fires} == set(alerts())
    assert {case.alert for case in CASES if not case.fires} == set(alerts())


def test_alerts_ask_for_metrics_that_there_are() -> None:
    for name, rule in alerts().items():
        assert metrics_in(rule["expr"]) <= shipped_metrics(), name
        assert metrics_in(rule["expr"]), name
        assert {"summary", "description"} == set(rule["annotations"]), name


def test_cases_have_metrics_that_there_are() -> None:
    for case in CASES:
        assert {name for series in case.series for name in metrics_in(series)} <= shipped_metrics()


def test_every_alert_is_named_in_the_reference() -> None:
    told = {name for name in rows(read("metrics.md")) if name.startswith("Goatherd")}
    assert told == set(alerts())
