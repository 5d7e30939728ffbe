"""The doctor says what is well, what wants a look and what is wrong."""

import json
from typing import Any

import pytest

from scripts.servers.addresses import postgres_url
from tests.acceptance.cli.brokers import embedded
from tests.acceptance.cli.stage import Stage


def examined(stage: Stage, code: int = 0) -> dict[str, Any]:
    checks = json.loads(stage.inside("doctor", "shop:app", "--json", code=code))["checks"]
    return {check["name"]: check for check in checks}


@embedded
def test_all_is_well_with_a_worker(stage: Stage) -> None:
    stage.worker()
    checks = examined(stage)
    assert list(checks) == ["program", "settings", "tasks", "store", "disk", "workers", "queues", "dead letters"]
    assert {check["state"] for check in checks.values()} == {"well"}
    assert "✓ workers" in stage.run("doctor", "shop:app").stdout


def test_jobs_that_nobody_takes_are_a_warning(stage: Stage) -> None:
    stage.send("greet", "name=Ada")
    stage.run("queues", "pause", "shop:app", "mail")
    told = stage.inside("doctor", "shop:app")
    assert "! workers" in told
    assert "goatherd worker shop:app --queues shop" in told
    assert "goatherd queues resume shop:app mail" in told


@embedded
def test_a_store_that_cannot_be_used_is_wrong(stage: Stage) -> None:
    (stage.folder / "other.db").write_bytes(b"this is no database at all, only some text" * 100)
    (stage.folder / "goatherd.toml").write_text('broker_url = "sqlite:///other.db"\n', encoding="utf-8")
    store = examined(stage, code=1)["store"]
    assert store["state"] == "wrong"
    assert "is not an SQLite database" in store["found"]


@embedded
@pytest.mark.servers("postgres")
def test_a_history_on_postgresql_is_looked_at(stage: Stage) -> None:
    stage.environment["GOATHERD_RECORDS_URL"] = postgres_url()
    history = examined(stage)["history"]
    assert history["state"] == "well"
    assert "in postgresql://" in history["found"]
    assert "goatherd:goatherd@" not in history["found"]
    stage.environment["GOATHERD_RECORDS_URL"] = "postgresql://127.0.0.1:1/shop"
    store = examined(stage, code=1)["store"]
    assert "GOATHERD_RECORDS_URL" in store["found"]


@embedded
def test_every_wrong_setting_and_task_is_named(stage: Stage) -> None:
    (stage.folder / "goatherd.toml").write_text('concurency = 5\nlease = "long"\n', encoding="utf-8")
    told = stage.inside("doctor", "shop:app", code=1)
    assert "did you mean concurrency?" in told
    assert told.count("✗ settings") == 2

    (stage.folder / "goatherd.toml").unlink()
    with (stage.folder / "shop.py").open("a", encoding="utf-8") as file:
        file.write(
            "\nclass Odd: ...\n@app.task\nasync def odd(what: Odd): ...\n@app.task\nasync def odder(what: Odd): ...\n"
        )
    assert stage.inside("doctor", "shop:app", code=1).count("✗ tasks") == 2
