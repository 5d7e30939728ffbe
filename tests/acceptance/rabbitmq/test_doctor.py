"""The doctor looks at the broker: who it is, what is missing, what died, and whether it takes messages."""

import json
import signal
from typing import Any
from urllib.parse import quote

import pytest

from scripts.servers.addresses import management
from tests.acceptance.cli.stage import Stage

pytestmark = pytest.mark.servers


@pytest.fixture
def checks(stage: Stage, broker_url: str) -> Any:
    """Ask the doctor; its checks by name."""
    stage.environment |= {"GOATHERD_BROKER_URL": broker_url, "GOATHERD_MANAGEMENT_URL": management().url}

    def examine(code: int = 0, **settings: str) -> dict[str, Any]:
        stage.environment |= settings
        found = json.loads(stage.inside("doctor", "shop:app", "--json", code=code))["checks"]
        # Of several with one name, the first is the worst.
        return {check["name"]: check for check in reversed(found)}

    return examine


def test_all_is_well_with_a_worker(stage: Stage, checks: Any) -> None:
    stage.worker()
    found = checks()
    looked_at = {"program", "settings", "tasks", "store", "workers", "queues", "dead letters", "topology", "broker"}
    assert set(found) == looked_at
    assert {check["state"] for check in found.values()} == {"well"}
    assert "RabbitMQ" in found["store"]["found"]
    assert "takes messages" in found["store"]["found"]
    assert found["workers"]["found"] == "3 consumers on 3 queues"


def test_dead_letters_and_idle_queues_are_a_warning(stage: Stage, checks: Any) -> None:
    stage.send("refuse", "customer=1")
    worker = stage.start("worker", "shop:app")
    worker.hear("is a dead letter")
    worker.tell(signal.SIGTERM)
    assert worker.end() == 0
    stage.send("greet", "name=Ada")
    found = checks()
    assert found["dead letters"] | {"mend": ""} == {
        "name": "dead letters", "state": "warning", "found": "1 dead letter", "mend": "",
    }  # fmt: skip
    assert found["workers"]["state"] == "warning"
    assert found["queues"]["found"] == "1 job ready in shop, but no worker takes from it"


def test_events_and_history_that_other_machines_do_not_see_are_a_warning(stage: Stage, checks: Any) -> None:
    found = checks(GOATHERD_EVENTS_URL="sqlite:///events.db")
    for name, mend in (("events", "GOATHERD_EVENTS_URL"), ("history", "GOATHERD_RECORDS_URL")):
        assert found[name]["state"] == "warning"
        assert "other machines do not see" in found[name]["found"]
        assert mend in found[name]["mend"]
    router = stage.start("router", "shop:app")
    router.hear("history of jobs is written to the file of .*GOATHERD_RECORDS_URL")


def test_a_missing_queue_is_wrong(stage: Stage, checks: Any, virtual_host: str) -> None:
    stage.run("queues", "list", "shop:app")
    management().ask("DELETE", f"queues/{quote(virtual_host)}/mail")
    found = checks(code=1, GOATHERD_DECLARE="never")
    [ill] = [check for check in found.values() if check["state"] == "wrong"]
    assert "no queue" in ill["found"]
    assert "mail" in ill["found"]
    assert "GOATHERD_DECLARE=create" in ill["found"] + ill["mend"]


def test_a_broker_that_keeps_the_app_from_starting_is_wrong(stage: Stage, checks: Any) -> None:
    stage.run("queues", "list", "shop:app")
    found = checks(code=1, GOATHERD_DECLARE="check")
    [ill] = [check for check in found.values() if check["state"] == "wrong"]
    assert "differs" in ill["found"], "the hold queues of such an app belong to what must be there"
    assert ill["mend"] == "goatherd topology plan shop:app"
