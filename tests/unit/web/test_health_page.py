"""A process says how it is, whatever it does."""

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest

from goatherd import Goatherd, Unavailable
from goatherd.engine.pulse import Pulse
from goatherd.errors import MissingExtra
from goatherd.web import health_page
from goatherd.web.health_page import HealthPage, Phase
from tests.unit.web.asked import get, get_from_a_thread, served


class Process:
    """One that serves its page."""

    def __init__(self, app: Goatherd, phase: Phase, port: int) -> None:
        self.app = app
        self.phase = phase
        self.port = port

    async def ask(self, path: str) -> tuple[int, dict[str, Any]]:
        status, body = await get_from_a_thread(self.port, path)
        return status, json.loads(body)


@pytest.fixture
async def process(tmp_path: Any) -> AsyncIterator[Process]:
    app = Goatherd("shop", broker_url=f"sqlite:///{tmp_path / 'shop.db'}")

    @app.task
    async def greet(name: str) -> None: ...

    phase, pulse = Phase(), Pulse(silent_after=0.5)
    pulse.start()
    with served(HealthPage(app, ["worker"], phase, pulse).answer) as port:
        async with app.serve("worker"):
            phase.now = "running"
            yield Process(app, phase, port)
    pulse.stop()


async def test_a_process_that_can_work_is_ready(process: Process) -> None:
    status, told = await process.ask("/readyz")
    assert (status, told["ready"], told["reasons"], told["roles"]) == (200, True, [], ["worker"])
    assert told["ports"] == {"broker": "up"}
    assert told["queues"]["shop"]["consumers"] == 1


async def test_a_store_that_is_away_is_the_reason_not_to_be(process: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(_also: object = ()) -> Any:
        raise Unavailable("the disk is full")

    monkeypatch.setattr(process.app.session().ports.operations, "queues", away)
    status, told = await process.ask("/readyz")
    assert (status, told["ready"], told["reasons"]) == (503, False, ["broker: the disk is full"])
    assert (await process.ask("/livez"))[0] == 200


@pytest.mark.parametrize(
    ("phase", "reason"), [("starting", "the process is starting"), ("stopping", "the process is about to stop")]
)
async def test_before_and_after_its_work_it_is_alive_and_not_ready(process: Process, phase: Any, reason: str) -> None:
    process.phase.now = phase
    status, told = await process.ask("/readyz")
    assert (status, told["reasons"], told["loop_alive"]) == (503, [reason], True)
    assert (await process.ask("/livez"))[0] == 200


async def test_metrics_are_those_of_the_app(process: Process) -> None:
    await process.app.tasks["greet"].send("Ada")
    status, text = await get_from_a_thread(process.port, "/metrics")
    assert (status, "goatherd_jobs_sent_total" in text) == (200, True)
    assert (await get_from_a_thread(process.port, "/"))[0] == 404


async def test_without_the_extra_it_is_said_what_to_install(process: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> str:
        raise MissingExtra("Metrics in Prometheus text", "prometheus")

    monkeypatch.setattr(process.app, "metrics", missing)
    status, text = await get_from_a_thread(process.port, "/metrics")
    assert (status, "goatherd[prometheus]" in text) == (501, True)


async def test_a_stuck_loop_is_told_with_the_line_where_it_is(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health_page, "PATIENCE", 0.1)
    answers: dict[str, tuple[int, str]] = {}
    done = threading.Event()

    def look() -> None:
        until = time.monotonic() + 20
        while get(process.port, "/livez")[0] == 200 and time.monotonic() < until:
            time.sleep(0.05)
        for path in ("/livez", "/readyz", "/metrics"):
            answers[path] = get(process.port, path)
        done.set()

    looking = threading.Thread(target=look)
    looking.start()
    done.wait(30)  # the loop is stuck here
    looking.join()
    assert {path: status for path, (status, _) in answers.items()} == {"/livez": 503, "/readyz": 503, "/metrics": 503}
    for path, (_, body) in answers.items():
        assert "the event loop has been stuck for" in body, path
        assert "done.wait(30)" in body, path
    assert json.loads(answers["/readyz"][1])["loop_alive"] is False
    # It goes on, and is well again.
    while (await process.ask("/livez"))[0] != 200 or (await process.ask("/readyz"))[0] != 200:
        await asyncio.sleep(0.05)
