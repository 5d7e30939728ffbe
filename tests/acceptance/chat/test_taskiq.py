"""TaskIQ's producers and workers stand in for ours on `chat.process`, one at a time."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from socket import create_server
from uuid import uuid4

from examples.chat.story.model_server import answer_to
from examples.chat.story.stage import Stage
from examples.chat.story.watcher import Watcher
from examples.running.programs import TOP
from goatherd.model.stream_token import sign
from tests.acceptance.chat.conftest import ON_SERVERS, OpenChat
from tests.acceptance.chat.taskiq_program import broker_at

pytestmark = ON_SERVERS

#: Seconds that TaskIQ's family of processes may take to start, and to end.
TO_START, TO_END = 40.0, 15.0
QUESTION = "How do I retry a job?"


async def test_a_taskiq_producer_feeds_our_worker_and_its_job_is_tracked(
    servers: Mapping[str, str], open_chat: OpenChat
) -> None:
    with open_chat(servers, "api") as stage:
        producer = broker_at(servers["CHAT_RABBITMQ_URL"])
        await producer.startup()

        @producer.task(task_name="chat.process")
        async def process(**_told: object) -> None:
            raise NotImplementedError("chat-worker does this")

        job_id = str(uuid4())
        told = {"job_id": job_id, "session_id": "mine", "message": QUESTION, "user_id": "ada"}
        stage.model.hold_at(20)
        await process.kicker().with_task_id(job_id).with_labels(tenant="north").kiq(**told)
        await producer.shutdown()
        # Nobody knows of a foreign job before it begins.
        assert stage.model.wait_until_asked(1)
        watch(stage, job_id)


def watch(stage: Stage, job_id: str) -> None:
    """From the first event to the last, as any other job."""
    token = sign(stage.chat.environment["GOATHERD_SECRET"], "chat", job_id, "ada", 2**31)
    url = f"{stage.chat.gateway_url}/api/v1/chat/{job_id}/events"
    with Watcher(url, token, after="earliest") as watcher:
        watcher.wait_for_words(20)
        stage.model.go_on()
        stage.must_be_right(watcher, answer_to(QUESTION))
        assert watcher.names() == ["started", "intent", "retrieval", "answer", "token", "done"]


def test_a_taskiq_worker_does_what_our_api_accepts(servers: Mapping[str, str], open_chat: OpenChat) -> None:
    with open_chat(servers, "worker", "router") as stage, create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(TO_START)
        accepted = stage.ask(QUESTION, user_id="ada", user_location={"latitude": 1.5, "longitude": 2})
        with taskiq_worker(servers["CHAT_RABBITMQ_URL"], listener.getsockname()[1]):
            connection, _ = listener.accept()
            with connection:
                told = json.loads(connection.makefile("rb").read())
    assert told == {
        "job_id": accepted["job_id"],
        "session_id": stage.chat_id,
        "message": QUESTION,
        "user_id": "ada",
        "image_url": None,
        "user_location": {"latitude": 1.5, "longitude": 2.0},
        "model": None,
    }


@contextmanager
def taskiq_worker(url: str, port: int) -> Iterator[None]:
    """A TaskIQ worker in processes of its own."""
    environment = {**os.environ, "TASKIQ_URL": url, "TASKIQ_TELLS": str(port), "PYTHONPATH": str(TOP)}
    command = [
        sys.executable,
        "-m",
        "taskiq",
        "worker",
        "tests.acceptance.chat.taskiq_program:broker",
        "--workers",
        "1",
    ]
    process = subprocess.Popen(
        command, cwd=TOP, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(TO_END)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait(TO_END)
