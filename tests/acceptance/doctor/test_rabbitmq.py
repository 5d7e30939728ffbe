"""The doctor looks at RabbitMQ: how long it lets workers hold a job, where its dead letters go, and its clock."""

import asyncio
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import quote

import pytest

from goatherd import Goatherd
from goatherd.cli.main import run
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

    usual = await the_one(app, "time-outs")
    assert usual.state == "warning", "this broker may be set up otherwise, and does not tell"
    assert "task film may run 1h" in usual.found
    assert "GOATHERD_CONSUMER_TIMEOUT" in usual.mend


async def test_a_task_that_runs_longer_than_the_broker_is_said_to_wait(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    app = patient(tmp_path, consumer_timeout=120, **settings)
    app.task(timeout=100, name="order")(_order)
    check = await the_one(app, "time-outs")
    assert check.state == "wrong"
    assert "task order may run 1m40s" in check.found
    assert "Give it a timeout below 1m" in check.mend


async def test_a_queue_that_waits_for_another_time_than_the_broker(app: Goatherd) -> None:
    """Only newer brokers mind it: on an older one a job of an hour is taken back all the same."""
    app.task(queue=app.queue("films", arguments={"x-consumer-timeout": 14_400_000}), timeout=3600)(_order)
    minded = version() >= (3, 12)
    assert [check.state for check in await found(app, "time-outs")] == ([] if minded else ["warning"])


def version() -> tuple[int, ...]:
    return tuple(int(part) for part in management().ask("GET", "overview")["rabbitmq_version"].split(".")[:2])


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
    await start_once(app)
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


async def test_a_dead_letter_queue_that_somebody_deleted(
    app: Goatherd, virtual_host: str, settings: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await start_once(app)
    management().ask("DELETE", f"queues/{quote(virtual_host, safe='')}/clinic.dead.v1")
    looks_only = patient(tmp_path, declare="never", **settings)
    *_, check = await found(looks_only, "dead letters")
    assert check.state == "wrong"
    assert "clinic hands dead letters to exchange 'clinic.dead.v1', but no queue is bound to it" in check.found
    assert await command(check.mend, looks_only, monkeypatch) == 0
    assert [check.state for check in await found(looks_only, "dead letters")] == ["well"]


async def test_a_program_that_makes_what_is_missing_does_not_hide_that_it_was(app: Goatherd, virtual_host: str) -> None:
    await start_once(app)
    management().ask("DELETE", f"queues/{quote(virtual_host, safe='')}/clinic.dead.v1")
    assert [check.state for check in await found(app, "dead letters")] == ["well", "wrong"]
    assert [check.state for check in await found(app, "dead letters")] == ["well"], "the doctor is such a program"


async def test_a_queue_that_differs(
    app: Goatherd, virtual_host: str, settings: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.task(queue=app.queue("orders"), name="order")(_order)
    wrong = {"durable": True, "arguments": {"x-max-length": 5}}
    management().ask("PUT", f"queues/{quote(virtual_host, safe='')}/orders", wrong)
    [check, *_] = await found(app, "topology")
    assert (check.state, "orders" in check.found) == ("wrong", True), "no program starts"
    assert await command(check.mend, app, monkeypatch) == 2, "the plan says so, too"


async def start_once(app: Goatherd) -> None:
    """A program that makes what is missing."""
    async with app:
        await app.session().ports.checks.check()


async def command(line: str, app: Goatherd, monkeypatch: pytest.MonkeyPatch) -> int:
    """The exit code of a command of ours that the doctor names, for an app that is in no file."""
    module = ModuleType("clinic")
    module.app = app  # type: ignore[attr-defined]  # what a command looks for in it
    monkeypatch.setitem(sys.modules, "clinic", module)
    program, *words = line.split()
    assert program == "goatherd"
    return await asyncio.to_thread(run, [*words, *(["--yes"] if "apply" in words else [])])


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
