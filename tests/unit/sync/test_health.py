"""Health is told whatever the I/O thread and the broker do."""

import asyncio
import threading
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from goatherd import Goatherd
from goatherd.errors import TopologyMismatch, Unavailable
from goatherd.sync import blocking
from goatherd.sync.process import PROCESS
from tests.unit.sync.stuck import stuck_loop


def test_a_program_that_is_well_says_so(app: Goatherd) -> None:
    blocking(app.tasks["double"]).send(1)
    health = blocking(app).health()
    assert (health.ready, health.reasons, health.ports, health.loop_alive) == (True, [], {"broker": "up"}, True)
    assert health.queues["shop"].depth == 1
    assert datetime.now(UTC) - health.last_heartbeat < timedelta(seconds=3)


def test_it_is_the_first_verb_too(app: Goatherd) -> None:
    assert blocking(app).health().ready


def test_a_stuck_loop_is_told_at_once(app: Goatherd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goatherd.sync.io_thread.SILENT_AFTER", 1.5)
    blocking(app.tasks["double"]).send(1)
    with stuck_loop():
        while not PROCESS.io_thread().is_silent:
            time.sleep(0.01)
        began = time.monotonic()
        health = blocking(app).health()
        assert time.monotonic() - began < 1
        assert "goatherd_jobs_sent_total" in blocking(app).metrics()
    assert (health.ready, health.loop_alive) == (False, False)
    assert "the I/O thread has been stuck for" in health.reasons[0]
    assert "stuck.py" in health.reasons[0]
    assert datetime.now(UTC) - health.last_heartbeat > timedelta(seconds=1.5)
    # The loop goes on; its next heartbeat may be some moments away.
    while PROCESS.io_thread().is_silent:
        time.sleep(0.01)
    assert blocking(app).health().ready


def test_a_loop_that_gets_stuck_meanwhile_is_told_in_time(app: Goatherd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goatherd.sync.health.DEADLINE", 0.2)
    blocking(app.tasks["double"]).send(1)
    with stuck_loop():
        began = time.monotonic()
        health = blocking(app).health()
        assert time.monotonic() - began < 2
    assert not health.ready
    assert "health was given up after 0.2 s" in health.reasons[0]


@pytest.mark.parametrize(
    "why", [Unavailable("The broker is away."), TopologyMismatch("queue", "shop", "type", "quorum", "classic")]
)
def test_a_broker_that_cannot_be_used_is_a_reason_and_no_error(app: Goatherd, why: Exception) -> None:
    async def opener(*_: Any) -> Any:
        raise why

    app.opener = opener
    health = blocking(app).health()
    assert (health.ready, health.ports, health.loop_alive) == (False, {"broker": "down"}, True)
    assert health.reasons == [f"broker: {why}"]


def test_an_app_that_is_being_opened_is_not_ready_yet(app: Goatherd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goatherd.sync.health.DEADLINE", 0.1)
    original, may_open = app.opener, threading.Event()

    async def opener(*given: Any) -> Any:
        await asyncio.to_thread(may_open.wait)
        return await original(*given)

    app.opener = opener
    try:
        health = blocking(app).health()
    finally:
        may_open.set()
    assert (health.ready, health.ports, health.loop_alive) == (False, {"broker": "connecting"}, True)
    assert "is still being opened" in health.reasons[0]
