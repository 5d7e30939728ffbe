"""Every role says how it is, from its start to its end."""

import json
import os
import signal
import socket

import pytest

from scripts.servers.ports import free_ports
from tests.acceptance.asking import asked, readiness, until
from tests.acceptance.cli.brokers import embedded
from tests.acceptance.cli.gate import Gate
from tests.acceptance.cli.stage import PATIENCE, Stage

pytestmark = embedded


@pytest.fixture
def port() -> int:
    [port] = free_ports(1)
    return port


def await_ready(port: int) -> None:
    until(port, lambda told: told["ready"], "the process to be ready", PATIENCE)


@pytest.mark.parametrize(
    ("role", "ports"),
    [
        ("worker", {"broker"}),
        ("scheduler", {"broker", "records"}),
        ("router", {"broker", "events", "records"}),
        ("run", {"broker", "events", "records"}),
    ],
)
def test_a_role_is_asked_over_http(stage: Stage, port: int, role: str, ports: set[str]) -> None:
    process = stage.start(role, "shop:app", "--health-port", str(port))
    process.hear(rf"Health at http://127\.0\.0\.1:{port}/readyz")
    await_ready(port)
    told = readiness(port)
    assert told["roles"] == (["worker", "scheduler", "router"] if role == "run" else [role])
    assert set(told["ports"]) >= ports
    status, body = asked(port, "/livez")
    assert (status, json.loads(body)["alive"]) == (200, True)
    status, body = asked(port, "/metrics")
    assert (status, "goatherd_link" in body) == (200, True)
    process.tell(signal.SIGTERM)
    assert process.end() == 0


def test_nothing_is_served_unless_it_is_wanted(stage: Stage) -> None:
    assert "Health at" not in stage.worker().heard


def test_the_port_may_be_a_setting(stage: Stage, port: int) -> None:
    stage.worker(GOATHERD_HEALTH_PORT=str(port))
    await_ready(port)


def test_one_that_stops_is_alive_and_not_ready(stage: Stage, gate: Gate, port: int) -> None:
    worker = stage.worker("--health-port", str(port))
    await_ready(port)
    stage.send("visit", f"port={gate.port}", "name=Ada")
    visitor = gate.next()
    worker.tell(signal.SIGTERM)
    worker.hear("1 running job may take")
    told = until(port, lambda told: not told["ready"], "the worker to be unready", PATIENCE)
    assert told["reasons"] == ["the process is about to stop"]
    assert asked(port, "/livez")[0] == 200
    visitor.let_go()
    assert worker.end() == 0


def test_a_port_that_is_taken_is_told_at_the_start(stage: Stage, port: int) -> None:
    stage.worker("--health-port", str(port))
    told = stage.run("scheduler", "shop:app", "--health-port", str(port), code=1)
    assert f"The health page cannot listen on 127.0.0.1: port {port} is in use" in told.stderr


@pytest.mark.parametrize("setting", [False, True])
def test_a_parent_tells_of_all_its_children(stage: Stage, setting: bool) -> None:
    base = next(port for port in range(21_000, 60_000, 10) if all_free(port, 3))
    if setting:
        parent = stage.start("worker", "shop:app", "--processes", "2", GOATHERD_HEALTH_PORT=str(base))
    else:
        parent = stage.start("worker", "shop:app", "--processes", "2", "--health-port", str(base))
    await_ready(base)
    assert [each["roles"] for each in readiness(base)["processes"]] == [["worker"], ["worker"]]
    for child in (base + 1, base + 2):
        assert readiness(child)["ready"]
        assert "goatherd_link" in asked(child, "/metrics")[1]
    assert asked(base, "/livez")[0] == 200
    if not setting:
        victim = int(parent.hear(r"\[(\d+)\] info +Taking jobs")[1])
        os.kill(victim, signal.SIGKILL)
        told = until(base, lambda told: not told["ready"], "the loss to be seen", PATIENCE)
        assert told["reasons"][0].endswith("it is starting, or has ended and will be replaced")
        assert asked(base, "/livez")[0] == 200
        await_ready(base)
    parent.tell(signal.SIGTERM)
    assert parent.end() == 0


@pytest.mark.parametrize("port", [0, 65_534])
def test_children_need_ports_that_follow(stage: Stage, port: int) -> None:
    told = stage.run("worker", "shop:app", "--processes", "2", "--health-port", str(port), code=2)
    assert "choose one from 1 to 65533" in told.stderr


def all_free(first: int, count: int) -> bool:
    """Whether nobody uses these ports now."""
    try:
        for port in range(first, first + count):
            socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True
