"""The other programs may be anyone's: here plain pika plays the AI service and the crawler."""

import json
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from uuid import UUID

import httpx2
import pytest

from tests.acceptance.kitchen.conftest import OpenKitchen
from tests.acceptance.kitchen.premises import Premises
from tests.interop.pika_program import PikaProgram, Seen

pytestmark = [
    pytest.mark.servers,
    pytest.mark.xdist_group("kitchen rabbitmq"),
    pytest.mark.parametrize("broker", ["rabbitmq"], indirect=True),
]

AI, REQUESTS, RESPONSES = "recipe_analysis_request", "crawling_request_queue", "crawling_response_queue"
DEAD_LETTERS = "kitchen.dead.v1"
SECONDS = {"KITCHEN_AI_SECONDS": "3", "KITCHEN_CRAWL_SECONDS": "3"}


@pytest.fixture
def kitchen(open_kitchen: OpenKitchen) -> Iterator[Premises]:
    """The main program alone."""
    with open_kitchen(SECONDS, "ai", "crawler") as opened:
        yield opened


@pytest.fixture
def stranger(kitchen: Premises, broker: Mapping[str, str]) -> Iterator[PikaProgram]:
    with PikaProgram(broker["RABBITMQ_URL"]) as program:
        # A stranger declares what it uses, as the contract has it; whoever comes second must succeed.
        program.channel.queue_declare(AI, durable=True, arguments={"x-message-ttl": 300_000})
        program.channel.queue_declare(REQUESTS, durable=True)
        program.channel.queue_declare(RESPONSES, durable=True)
        yield program


@pytest.fixture
def clients() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as pool:
        yield pool


def ask_recipe(clients: ThreadPoolExecutor, kitchen: Premises, text: str) -> "Future[httpx2.Response]":
    return clients.submit(kitchen.post, "/api/ai/analyze-recipe", {"text": text})


def reply(stranger: PikaProgram, request: Seen, body: object) -> None:
    properties = request.properties
    stranger.send(properties.reply_to, body, correlation_id=properties.correlation_id)


def until_counted(kitchen: Premises, why: str, count: float) -> None:
    deadline = time.monotonic() + 5
    while (counted := kitchen.metric("goatherd_stray_replies_total", why=why)) != count:
        assert time.monotonic() < deadline, f"{counted} {why}"


def test_a_request_to_the_ai_service_is_as_the_contract_has_it(
    kitchen: Premises, stranger: PikaProgram, clients: ThreadPoolExecutor
) -> None:
    waiting = ask_recipe(clients, kitchen, "leeks")
    request = stranger.take(AI)
    assert request.json == {"user_input": "leeks"}
    properties = request.properties
    assert (properties.content_type, properties.delivery_mode) == ("application/json", 2)
    assert properties.reply_to.startswith("amq.gen-")
    UUID(properties.correlation_id)
    reply(stranger, request, {"success": True, "result": {"found": "leeks"}})
    assert waiting.result().json() == {"success": True, "result": {"found": "leeks"}}


def test_a_picture_is_json_in_a_string(kitchen: Premises, stranger: PikaProgram, clients: ThreadPoolExecutor) -> None:
    asked = {"s3_url": "s3://menu/soup.png", "description": "soup"}
    waiting = clients.submit(kitchen.post, "/api/ai/analyze-image", asked)
    request = stranger.take(AI)
    assert list(request.json) == ["user_input"]
    assert json.loads(request.json["user_input"]) == asked
    reply(stranger, request, {"success": False, "error": {"message": "too dark"}})
    answer = waiting.result()
    assert (answer.status_code, answer.json()["error"]["message"]) == (502, "too dark")


def test_the_callback_queue_is_exclusive_and_shared(
    kitchen: Premises, stranger: PikaProgram, clients: ThreadPoolExecutor
) -> None:
    waiting = [ask_recipe(clients, kitchen, text) for text in ("leeks", "eggs", "beans")]
    requests = [stranger.take(AI) for _ in waiting]
    assert len({request.properties.reply_to for request in requests}) == 1
    # In another order than they came.
    for request in reversed(requests):
        reply(stranger, request, {"success": True, "result": {"echo": request.json["user_input"]}})
    assert [each.result().json()["result"]["echo"] for each in waiting] == ["leeks", "eggs", "beans"]
    assert kitchen.health()["callback_queue"]["consumers"] == 1


def test_crawl_requests_are_as_the_contract_has_them(kitchen: Premises, stranger: PikaProgram) -> None:
    accepted = kitchen.post("/api/crawling/crawl", {"url": "https://example.com/", "depth": 2}).json()
    request = stranger.take(REQUESTS)
    assert request.json == {
        "action": "crawl_url",
        "url": "https://example.com/",
        "depth": 2,
        "job_id": accepted["job_id"],
    }
    assert (request.properties.content_type, request.properties.delivery_mode) == ("application/json", 2)
    UUID(accepted["job_id"])
    pinged = kitchen.post("/api/crawling/ping?sync=0").json()
    ping = stranger.take(REQUESTS).json
    assert (ping["action"], ping["job_id"]) == ("ping", pinged["job_id"])
    assert datetime.fromisoformat(ping["timestamp"]).tzinfo is not None


def test_a_job_is_told_as_the_crawler_tells_it(kitchen: Premises, stranger: PikaProgram) -> None:
    job_id = kitchen.post("/api/crawling/crawl", {"url": "https://example.com/"}).json()["job_id"]
    assert kitchen.get(f"/api/jobs/{job_id}").json()["status"] == "queued"
    update = {"action": "task_status_update", "job_id": job_id, "status": "in_progress", "data": {}, "error": None}
    stranger.send(RESPONSES, update)
    _until(kitchen, job_id, "in_progress")
    end = {**update, "action": "crawl_result", "status": "failed", "error": {"message": "no such host"}}
    stranger.send(RESPONSES, end)
    assert _until(kitchen, job_id, "failed") == end


def test_an_answer_that_cannot_be_read_is_a_dead_letter_and_hurts_nobody(
    kitchen: Premises, stranger: PikaProgram, clients: ThreadPoolExecutor
) -> None:
    waiting = clients.submit(kitchen.post, "/api/crawling/ping")
    job_id = stranger.take(REQUESTS).json["job_id"]
    bad = [b"no JSON", b"[]", b'{"status": "done"}', b'{"job_id": 5, "status": "done"}']
    for body in bad:
        stranger.send(RESPONSES, body)
    stranger.send(RESPONSES, {"action": "task_status_update", "job_id": job_id, "status": "done", "data": {"a": 1}})
    assert waiting.result().json()["data"] == {"a": 1}
    buried = {stranger.take(DEAD_LETTERS).body for _ in bad}
    assert buried == set(bad)


@pytest.mark.parametrize("body", [b"no JSON", b"[]", b'{"success": true}', b'{"success": "yes", "result": {}}'])
def test_a_reply_that_cannot_be_read_is_told_at_once(
    kitchen: Premises, stranger: PikaProgram, clients: ThreadPoolExecutor, body: bytes
) -> None:
    waiting = ask_recipe(clients, kitchen, "leeks")
    reply(stranger, stranger.take(AI), body)
    answer = waiting.result()
    assert (answer.status_code, answer.json()["error"]["code"]) == (502, "bad_answer")


def test_a_crawl_answer_of_another_shape_is_told(
    kitchen: Premises, stranger: PikaProgram, clients: ThreadPoolExecutor
) -> None:
    waiting = clients.submit(kitchen.post, "/api/crawling/ping")
    job_id = stranger.take(REQUESTS).json["job_id"]
    stranger.send(RESPONSES, {"job_id": job_id, "status": "done", "action": "dance"})
    assert waiting.result().status_code == 502
    told = kitchen.get(f"/api/jobs/{job_id}").json()
    assert (told["status"], "dance" in told["error"]["message"]) == ("failed", True)


def test_a_late_reply_is_counted_and_dropped(
    kitchen: Premises, stranger: PikaProgram, clients: ThreadPoolExecutor
) -> None:
    waiting = ask_recipe(clients, kitchen, "leeks")
    request = stranger.take(AI)
    assert waiting.result().status_code == 504
    reply(stranger, request, {"success": True, "result": {"found": "leeks"}})
    until_counted(kitchen, "late", 1)
    # The next one gets its own answer.
    again = ask_recipe(clients, kitchen, "eggs")
    second = stranger.take(AI)
    stranger.send(second.properties.reply_to, {"success": True, "result": {}}, correlation_id="nobody's")
    until_counted(kitchen, "foreign", 1)
    reply(stranger, second, {"success": True, "result": {"found": "eggs"}})
    assert again.result().json()["result"] == {"found": "eggs"}
    assert kitchen.health()["callback_queue"]["depth"] == 0


def test_a_request_that_outlived_its_caller_is_not_delivered(
    kitchen: Premises, stranger: PikaProgram, clients: ThreadPoolExecutor
) -> None:
    assert ask_recipe(clients, kitchen, "leeks").result().status_code == 504
    # The broker counts the time from when it got the request, which may be a moment later than its caller does.
    stranger.wait_until_empty(AI)
    later = ask_recipe(clients, kitchen, "eggs")
    request = stranger.take(AI)
    assert request.json == {"user_input": "eggs"}
    reply(stranger, request, {"success": True, "result": {}})
    assert later.result().status_code == 200


def _until(kitchen: Premises, job_id: str, status: str) -> dict[str, object]:
    deadline = time.monotonic() + 10
    while (job := kitchen.get(f"/api/jobs/{job_id}").json())["status"] != status:
        assert time.monotonic() < deadline, job
    told: dict[str, object] = job
    return told
