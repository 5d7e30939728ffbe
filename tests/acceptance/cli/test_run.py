"""`goatherd run` and `goatherd dev`: several roles in one process."""

import re
import signal
import urllib.request
from urllib.error import HTTPError

import pytest

from tests.acceptance.cli.stage import Running, Stage

SECRET = "a secret for this story alone"


def watched_job(stage: Stage) -> str:
    """The id of a job that was watched to its end."""
    told = stage.run("send", "shop:app", "tell", "words=2", "--watch", "--json").stderr
    return re.findall(r"^[0-9a-f-]{36}$", told, re.MULTILINE)[0]


def streams_of(running: Running) -> str:
    """Where its gateway serves the jobs of the shop."""
    return running.hear(r"Streams at (http://\S+/shop/)").group(1)


def test_worker_router_and_gateway_share_a_process(stage: Stage) -> None:
    roles = stage.start(
        "run", "shop:app", "--roles", "worker,router,gateway", "--port", "0", GOATHERD_SECRET=SECRET
    )  # fmt: skip
    streams = streams_of(roles)
    roles.hear("Taking jobs")
    job = watched_job(stage)
    with pytest.raises(HTTPError, match="401"):
        urllib.request.urlopen(f"{streams}{job}/events", timeout=10)
    roles.tell(signal.SIGTERM)
    assert roles.end(patience=40) == 0
    assert "Traceback" not in roles.heard


def test_a_gateway_without_a_secret_is_told_what_to_do(stage: Stage) -> None:
    roles = stage.start("run", "shop:app", "--roles", "gateway", "--port", "0")
    roles.hear("GOATHERD_SECRET")
    assert roles.end() == 1


def test_an_unknown_role_is_told_with_those_that_are_there(stage: Stage) -> None:
    error = stage.run("run", "shop:app", "--roles", "worker,cook", code=2).stderr
    assert "cook is no role; there are worker, scheduler, router, gateway, dashboard." in error


def test_dev_serves_streams_on_this_machine_without_a_token(stage: Stage) -> None:
    dev = stage.start("dev", "shop:app", "--no-reload", "--port", "0")
    streams = streams_of(dev)
    dev.hear("Taking jobs")
    job = watched_job(stage)
    with urllib.request.urlopen(f"{streams}{job}/events", timeout=10) as stream:
        told = stream.read().decode()
    assert '"accumulated":"word0 word1 "' in told
    assert "event: done" in told
    dev.tell(signal.SIGINT)
    assert dev.end() == 0


def test_a_port_in_use_does_not_keep_dev_from_working(stage: Stage) -> None:
    first = stage.start("dev", "shop:app", "--no-reload", "--port", "0")
    port = streams_of(first).split(":")[2].split("/")[0]
    second = stage.start("dev", "shop:app", "--no-reload", "--port", port)
    second.hear(f"port {port} is in use.*Another port is taken instead")
    second.hear("Taking jobs")
