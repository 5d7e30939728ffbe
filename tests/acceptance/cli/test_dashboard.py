"""`goatherd dashboard`, alone and among other roles."""

import json
import signal
import urllib.request
from urllib.error import HTTPError

import pytest

from tests.acceptance.cli.stage import PATIENCE, Running, Stage

TOKEN = "the token of this story"


@pytest.fixture
def broker() -> str:
    """What is shown on each broker is told elsewhere; here it matters only that it is served."""
    return "sqlite"


def address_of(running: Running) -> str:
    return running.hear(r"Dashboard at (http://\S+/)").group(1)


def asked(url: str, **headers: str) -> tuple[int, str]:
    request = urllib.request.Request(url, headers={"accept": "text/html", **headers})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_it_serves_those_who_have_a_token_until_it_is_told_to_stop(stage: Stage) -> None:
    served = stage.start("dashboard", "shop:app", "--port", "0", GOATHERD_DASHBOARD_TOKEN=TOKEN)
    address = address_of(served)
    status, page = asked(address)
    assert (status, "Sign in" in page) == (401, True)
    status, page = asked(address, authorization=f"Bearer {TOKEN}")
    assert (status, "<h1>Overview" in page) == (200, True)
    assert asked(f"{address}livez")[0] == 200
    status, told = asked(f"{address}readyz")
    assert (status, json.loads(told)) == (200, {"ready": True})
    status, told = asked(f"{address}readyz", authorization=f"Bearer {TOKEN}")
    assert (json.loads(told)["roles"], json.loads(told)["ports"]["broker"]) == (["dashboard"], "up")
    served.tell(signal.SIGTERM)
    assert served.end() == 0
    assert TOKEN not in served.heard
    assert "Traceback" not in served.heard


def test_without_a_token_it_says_what_to_set(stage: Stage) -> None:
    served = stage.start("dashboard", "shop:app", "--port", "0")
    served.hear("Nobody can sign in yet. Set GOATHERD_DASHBOARD_TOKEN")
    address = address_of(served)
    assert [asked(address + path)[0] for path in ("", "queues", "api/jobs")] == [401, 401, 401]
    served.tell(signal.SIGINT)
    assert served.end() == 0


def test_dev_serves_it_on_this_machine_without_a_token(stage: Stage) -> None:
    dev = stage.start("dev", "shop:app", "--no-reload", "--port", "0")
    address = address_of(dev)
    streams = dev.hear(r"Streams at (http://\S+/shop/)").group(1)
    dev.hear("Taking jobs")
    assert address.startswith("http://127.0.0.1:")
    assert streams.startswith(address)
    status, page = asked(address)
    assert (status, "<h1>Overview" in page) == (200, True)
    assert asked(address, host="evil.example")[0] == 403
    assert asked(f"{streams}nothing/events")[0] == 404
    assert asked(f"{address}metrics")[0] == 200
    dev.tell(signal.SIGINT)
    assert dev.end() == 0
    assert "Traceback" not in dev.heard


def test_it_is_a_role_among_others(stage: Stage) -> None:
    roles = ("run", "shop:app", "--roles", "worker,dashboard")
    both = stage.start(*roles, "--port", "0", GOATHERD_DASHBOARD_TOKEN=TOKEN, GOATHERD_REPORT_EVERY="0.2")
    address = address_of(both)
    both.hear("Taking jobs")
    assert asked(address)[0] == 401
    assert asked(address, authorization=f"Bearer {TOKEN}")[0] == 200
    both.tell(signal.SIGTERM)
    assert both.end() == 0
    assert "Traceback" not in both.heard
    told = stage.run(*roles, "--processes", "2", code=2).stderr
    assert "One port serves one dashboard" in told
