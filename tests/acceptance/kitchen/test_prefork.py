"""Several processes of the main program on one response queue: whoever takes an answer, the one that waits gets it."""

import re
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import httpx2
import pytest

from examples.kitchen.story.user import metric
from tests.acceptance.kitchen.conftest import OpenKitchen
from tests.acceptance.kitchen.premises import Premises

PROCESSES, THREADS, REQUESTS = 4, 12, 60


@pytest.fixture
def prefork(open_kitchen: OpenKitchen) -> Iterator[Premises]:
    """The crawler and the AI service, and the main program in several processes."""
    with open_kitchen({}, main=["-m", "tests.acceptance.kitchen.prefork", str(PROCESSES)]) as kitchen:
        until = time.monotonic() + 20
        while sum("Serving on" in line for line in kitchen.main.lines) < PROCESSES:
            assert time.monotonic() < until, kitchen.main.lines
        # Each request on a connection of its own, so that all processes get some.
        limits = httpx2.Limits(max_keepalive_connections=0)
        with httpx2.Client(base_url=kitchen.kitchen.url, timeout=40, limits=limits) as client:
            yield Premises(kitchen.kitchen, client)
    assert kitchen.main.end() == 0, kitchen.main.lines


def metrics_of_each(kitchen: Premises) -> dict[str, str]:
    """The metrics of every process."""
    found: dict[str, str] = {}
    until = time.monotonic() + 20
    while len(found) < PROCESSES:
        assert time.monotonic() < until, found
        answer = kitchen.get("/metrics")
        found[answer.headers["X-Process"]] = answer.text
    return found


def test_an_answer_reaches_the_process_that_waits(prefork: Premises) -> None:
    with ThreadPoolExecutor(THREADS) as clients:
        answers = list(clients.map(lambda _: prefork.post("/api/crawling/ping"), range(REQUESTS)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["job_id"] for answer in answers}) == REQUESTS
    waited = Counter(answer.headers["X-Process"] for answer in answers)
    queue = "crawling_response_queue"
    taken = {
        process: int(metric(text, "goatherd_attempts_total", queue=queue, outcome="done"))
        for process, text in metrics_of_each(prefork).items()
    }
    assert sum(taken.values()) == REQUESTS
    # Some process took answers to questions that others had asked.
    assert any(taken[process] != waited[process] for process in taken), (taken, waited)
    # And any process can look up what any other has asked.
    job_id = answers[0].json()["job_id"]
    looks = {(look := prefork.get(f"/api/jobs/{job_id}")).headers["X-Process"]: look.json() for _ in range(40)}
    assert all(look == answers[0].json() for look in looks.values())


def test_a_reply_reaches_the_process_that_asked(prefork: Premises) -> None:
    texts = [f"Boil {number} eggs." for number in range(REQUESTS)]
    with ThreadPoolExecutor(THREADS) as clients:
        answers = list(clients.map(lambda text: prefork.post("/api/ai/analyze-recipe", {"text": text}), texts))
    found = [answer.json()["result"]["input_sha256"] for answer in answers]
    assert found == [sha256(text.encode()).hexdigest() for text in texts]
    for text in metrics_of_each(prefork).values():
        assert metric(text, "goatherd_stray_replies_total") == 0
        assert re.search("^kitchen_http_requests_total", text, re.MULTILINE)
