"""The password of the broker is in the URL and nowhere else."""

import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from examples.kitchen.kitchen import Kitchen
from scripts.servers.addresses import amqp_url, management
from tests.acceptance.kitchen.premises import Premises, kitchen_in

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("kitchen rabbitmq")]

PASSWORD = "pepper-and-salt"
SETTINGS = {"KITCHEN_AI_SECONDS": "2", "KITCHEN_CRAWL_SECONDS": "2", "GOATHERD_PUBLISH_DEADLINE": "1"}
#: Of the crawler and the AI service two each; the main program has one.
CONNECTIONS = 5


@pytest.fixture
def virtual_host() -> Iterator[str]:
    """With a user who may do everything in it."""
    with management().virtual_host() as name:
        management().ask("PUT", f"users/{name}", {"password": PASSWORD, "tags": ""})
        try:
            management().allow(name, name)
            yield name
        finally:
            management().ask("DELETE", f"users/{name}")


def url_of(virtual_host: str, password: str) -> str:
    return f"amqp://{virtual_host}:{password}@127.0.0.1:{urlsplit(amqp_url()).port}/{virtual_host}"


def hang_up_on_everybody(virtual_host: str) -> None:
    deadline = time.monotonic() + 20
    # The broker tells operators of a connection a moment after it was made.
    while len(connections := management().connections(virtual_host)) < CONNECTIONS:
        assert time.monotonic() < deadline, connections
    for connection in connections:
        management().hang_up(connection)


def everything(kitchen: Premises) -> str:
    """Whatever clients, operators and collectors can see."""
    seen = [
        kitchen.post("/api/ai/analyze-recipe", {"text": "Boil 2 eggs."}),
        kitchen.post("/api/crawling/ping"),
        kitchen.post("/api/crawling/crawl", {"url": "http://127.0.0.1:1/"}),
        kitchen.post("/api/crawling/crawl", {"url": 5}),
        kitchen.get("/api/jobs/unknown"),
        kitchen.get("/health"),
        kitchen.get("/metrics"),
    ]
    return kitchen.log() + "".join(f"{answer.text}{answer.headers}" for answer in seen)


def test_a_password_is_shown_to_nobody(virtual_host: str, tmp_path: Path) -> None:
    with kitchen_in(tmp_path, {**SETTINGS, "RABBITMQ_URL": url_of(virtual_host, PASSWORD)}) as kitchen:
        seen = everything(kitchen)
        assert kitchen.post("/api/ai/analyze-recipe", {"text": "Boil 2 eggs."}).status_code == 200
        # Also when the broker lets nobody in any more.
        management().ask("DELETE", f"permissions/{virtual_host}/{virtual_host}")
        hang_up_on_everybody(virtual_host)
        assert kitchen.main.hear("was lost", 20)
        seen += everything(kitchen)
        assert kitchen.post("/api/ai/analyze-recipe", {"text": "Boil 2 eggs."}).status_code == 503
    assert virtual_host in seen
    assert "pepper" not in seen + kitchen.log()


def test_a_wrong_password_is_told_without_it(virtual_host: str, tmp_path: Path) -> None:
    wrong = {"RABBITMQ_URL": url_of(virtual_host, "pepper-and-vinegar")}
    for program in Kitchen(tmp_path, wrong, lambda _name, _line: None).programs:
        program.launch()
        assert program.end() == 1
        assert "refused" in "".join(program.lines)
        assert "pepper" not in "".join(program.lines)
