"""chat-api as its clients see it."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from examples.chat.chat import Chat
from examples.chat.story.stage import Stage
from examples.chat.story.watcher import Watcher
from examples.running.programs import Program
from tests.acceptance.chat.conftest import ON_A_FILE, OpenChat
from tests.acceptance.chat.premises import chat_in

pytestmark = ON_A_FILE


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One for all tests that do no harm; nobody answers there."""
    with chat_in(tmp_path_factory.mktemp("chat"), {}, "router", "worker") as opened:
        yield opened


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", "body: Field required"),
        (b"{", "JSON decode error"),
        (b'{"message": "%s"}' % (10_001 * b"a"), "message: String should have at most 10000 characters"),
        (b'{"message": "a", "user_location": {"latitude": 91, "longitude": 0}}', "user_location.latitude"),
        (b'{"message": "a", "massage": "b"}', "massage: Extra inputs are not permitted"),
    ],
)
def test_bad_input_is_told_clearly(stage: Stage, body: bytes, told: str) -> None:
    answer = stage.client.post("/api/v1/chat/mine/messages", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, list(answer.json())) == (422, ["error"])
    assert told in answer.json()["error"]


def test_what_there_is_not(stage: Stage) -> None:
    accepted = stage.ask("Hello!")
    for path in ("/nowhere", "/api/v1/nowhere"):
        assert stage.client.get(path).status_code == 404
    other = stage.client.post(f"/api/v1/chat/another/messages/{accepted['job_id']}/cancel")
    assert (other.status_code, other.json()["error"]) == (
        404,
        f"Chat another has no message {accepted['job_id']}.",
    )
    assert stage.get("/api/v1/chat/another/messages") == {"messages": []}


def test_a_question_waits_for_a_worker_and_can_be_called_off(stage: Stage) -> None:
    accepted = stage.ask("Hello!")
    *_, waiting = stage.get(f"/api/v1/chat/{stage.chat_id}/messages")["messages"]
    assert (waiting["status"], waiting["stream"]["job_id"]) == ("queued", accepted["job_id"])
    assert stage.post(accepted["cancel_url"], None, 200) == {"cancelled": True}
    *_, stopped = stage.get(f"/api/v1/chat/{stage.chat_id}/messages")["messages"]
    assert (stopped["status"], stopped["stream"]) == ("cancelled", None)


def test_the_page_and_what_it_needs(stage: Stage) -> None:
    assert stage.get("/healthz") == {"ready": True, "reasons": []}
    script = stage.client.get("/api/v1/goatherd.js")
    assert (script.status_code, "export const watch" in script.text) == (200, True)
    page = stage.client.get("/")
    assert page.status_code == 200 or "examples/chat/page/index.html is missing" in page.text
    assert "goatherd_jobs_sent_total" in stage.client.get("/metrics").text


def test_the_history_outlasts_the_program(open_chat: OpenChat) -> None:
    with open_chat({}, "router") as stage:
        with stage.watch(stage.ask("Hello!", model="offline")) as watcher:
            answer = watcher.end().data["result"]["text"]
        stage.chat.api.kill()
        stage.chat.api.await_ready()
        [message] = stage.get(f"/api/v1/chat/{stage.chat_id}/messages")["messages"]
    assert (message["message"], message["status"], message["answer"]) == ("Hello!", "done", answer)


def test_without_a_gateway_of_its_own_the_api_has_one_in_it(tmp_path: Path) -> None:
    chat = Chat(tmp_path, {"CHAT_PORT": "0", "CHAT_PAUSE": "0"}, lambda _name, _line: None)
    environment = {**chat.environment, "CHAT_GATEWAY_URL": ""}
    alone = Program("api", ["-m", "examples.chat.api"], "Serving on", environment, chat.tell)
    chat.programs = (chat.worker, alone)
    with chat, httpx2.Client(base_url=chat.url, timeout=20) as client:
        accepted = client.post("/api/v1/chat/mine/messages", json={"message": "Hello!"}).json()
        assert accepted["stream_url"] == f"/api/v1/chat/{accepted['job_id']}/events"
        with Watcher(chat.url + accepted["stream_url"], accepted["stream_token"]) as watcher:
            assert watcher.end().event == "done"
        assert "export const watch" in client.get("/api/v1/goatherd.js").text
