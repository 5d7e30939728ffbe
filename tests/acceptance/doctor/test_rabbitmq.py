"""The doctor looks at RabbitMQ: how long it lets workers hold a job, where its dead letters go, and its clock."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from goatherd import Goatherd
from scripts.servers.addresses import management
from tests.acceptance.doctor.patient import LateClock, found, patient, the_one

pytestmark = pytest.mark.servers


@pytest.fixture
def settings(broker_url: str) -> dict[str, Any]:
    return {"broker_url": broker_url, "management_url": management().url}


@pytest.fixture
def app(tmp_path: Path, settings: dict[str, Any]) -> Goatherd:
    return patient(tmp_path, **settings)


async def test_one_that_is_well(app: Goatherd) -> None:
    assert (await the_one(app, "broker")).found == "1 node with room on disk and in memory"
    assert await found(app, "clock") == await found(app, "time-outs") == await found(app, "prefetch") == []


async def test_another_time_there(app: Goatherd) -> None:
    app.clock = LateClock(3600)
    assert "ahead of this machine" in (await the_one(app, "clock")).found


async def test_a_task_that_runs_longer_than_the_broker_waits(app: Goatherd) -> None:
    @app.task(timeout=3600)
    async def film() -> None: ...

    @app.task(queue=app.queue("short", arguments={"x-consumer-timeout": 120_000}), timeout=100)
    async def clip() -> None: ...

    usual, known = sorted(await found(app, "time-outs"), key=lambda check: check.state)
    assert (usual.state, known.state) == ("warning", "wrong")
    assert "task film may run 1h" in usual.found
    assert "GOATHERD_CONSUMER_TIMEOUT" in usual.mend
    assert "task clip" in known.found
    assert "Give it a timeout below 1m" in known.mend


async def test_jobs_that_wait_in_a_worker_for_longer_than_the_broker_does(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    app = patient(tmp_path, concurrency=2, prefetch=8, **settings)

    @app.task(timeout=600)
    async def film() -> None: ...

    check = await the_one(app, "prefetch")
    assert check.state == "warning"
    assert "may wait in a worker for 3 others of up to 10m" in check.found
    assert "GOATHERD_PREFETCH" in check.mend


async def test_dead_letters_that_lead_nowhere(app: Goatherd, virtual_host: str) -> None:
    app.task(queue=app.queue("orders"), name="order")(_order)
    operator, host = management(), quote(virtual_host, safe="")
    by_policy = {"dead-letter-exchange": "graves", "dead-letter-routing-key": "orders"}
    operator.ask("PUT", f"policies/{host}/graves", {"pattern": "^orders$", "definition": by_policy})
    *_, check = await found(app, "dead letters")
    assert check.state == "wrong"
    assert "orders hands dead letters to exchange 'graves' with the key 'orders', but there is no such" in check.found
    assert "topology apply" in check.mend
    operator.ask("PUT", f"exchanges/{host}/graves", {"type": "direct", "durable": True})
    *_, check = await found(app, "dead letters")
    assert "no queue is bound to it" in check.found
    operator.ask("PUT", f"queues/{host}/cemetery", {"durable": True})
    operator.ask("POST", f"bindings/{host}/e/graves/q/cemetery", {"routing_key": "orders"})
    assert [check.state for check in await found(app, "dead letters")] == ["well"]


async def test_events_without_a_secret_for_the_gateway(tmp_path: Path, settings: dict[str, Any]) -> None:
    events = f"sqlite:///{tmp_path}/events.db"
    check = await the_one(patient(tmp_path, events_url=events, **settings), "secret")
    assert check.state == "warning"
    assert "GOATHERD_SECRET" in check.mend
    assert await found(patient(tmp_path, events_url=events, secret="x" * 32, **settings), "secret") == []


async def test_a_management_api_that_is_not_there(tmp_path: Path, settings: dict[str, Any]) -> None:
    check = await the_one(patient(tmp_path, **settings | {"management_url": "http://127.0.0.1:1"}), "broker")
    assert check.state == "warning"
    assert "GOATHERD_MANAGEMENT_URL" in check.mend


async def _order() -> None: ...
