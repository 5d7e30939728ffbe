"""Health, metrics and log lines, as the contract names them."""

import re
import time
from datetime import UTC, datetime
from uuid import UUID

from tests.acceptance.kitchen.premises import Premises

QUEUES = ("crawling_request_queue", "crawling_response_queue", "recipe_analysis_request")


def test_health_tells_of_every_queue_and_of_the_io_thread(kitchen: Premises) -> None:
    assert kitchen.post("/api/ai/analyze-recipe", {"text": "Boil 2 eggs."}).status_code == 200
    told = kitchen.health()
    assert (told["status"], told["reasons"], told["ports"]["broker"]) == ("ok", [], "up")
    for name in QUEUES:
        queue = told["queues"][name]
        assert (queue["depth"], queue["consumers"]) == (0, 1), name
        assert queue["published_per_second"] >= 0
        assert queue["acked_per_second"] >= 0
    assert told["callback_queue"]["consumers"] == 1
    assert told["io_thread"]["alive"] is True
    beat = datetime.fromisoformat(told["io_thread"]["last_heartbeat"])
    assert abs((datetime.now(UTC) - beat).total_seconds()) < 5


def test_the_rates_tell_how_much_is_published_and_acked(kitchen: Premises) -> None:
    kitchen.health()
    began = time.monotonic()
    while (passed := time.monotonic() - began) < 1.2:
        assert kitchen.post("/api/crawling/ping").status_code == 200
        assert kitchen.post("/api/ai/analyze-recipe", {"text": "Boil 2 eggs."}).status_code == 200
    told = kitchen.health()
    most = 1000 / passed
    assert 0 < told["queues"]["crawling_request_queue"]["published_per_second"] <= most
    assert 0 < told["queues"]["crawling_response_queue"]["acked_per_second"] <= most
    assert 0 < told["queues"]["recipe_analysis_request"]["published_per_second"] <= most
    assert 0 < told["callback_queue"]["acked_per_second"] <= most


def test_what_clients_saw_is_what_was_counted(kitchen: Premises) -> None:
    def answered() -> tuple[float, float]:
        calls = kitchen.metric("goatherd_calls_total", task="analyse", outcome="answered")
        return calls, kitchen.metric("kitchen_http_requests_total", endpoint="/api/ai/analyze-recipe", status="200")

    before = answered()
    for _ in range(5):
        assert kitchen.post("/api/ai/analyze-recipe", {"text": "Boil 2 eggs."}).status_code == 200
    assert answered() == (before[0] + 5, before[1] + 5)
    told = kitchen.health()["endpoints"]["/api/ai/analyze-recipe"]
    assert told["ratio"] == round(told["timeouts"] / told["requests"], 4)
    assert kitchen.metric("kitchen_http_waiting") == 1  # this one


def test_the_log_has_the_lines_of_the_contract(kitchen: Premises) -> None:
    assert kitchen.post("/api/ai/analyze-recipe", {"text": "Boil 2 eggs."}).status_code == 200
    assert kitchen.main.hear("INFO    RabbitMQ-IO-Thread started$")
    created = kitchen.main.hear(r"INFO    AI callback queue created: (\S+)$")
    published = kitchen.main.hear(r"INFO    AI request published: (\S+) → reply_to: (\S+)$")
    assert created
    assert published
    UUID(published[1])
    assert created[1] == published[2] == kitchen.health()["callback_queue"]["name"]
    assert kitchen.main.hear(rf"INFO    AI response received: correlation_id={re.escape(published[1])}$")


def test_one_callback_queue_is_shared_by_every_call(kitchen: Premises) -> None:
    for _ in range(3):
        assert kitchen.post("/api/ai/analyze-recipe", {"text": "Boil 2 eggs."}).status_code == 200
    assert len([line for line in kitchen.main.lines if "AI callback queue created" in line]) == 1
