"""What a user sees on a bad day."""

import json
import subprocess
import sys
from typing import Any

import httpx2

from examples.chat.story.stage import Stage
from examples.chat.story.watcher import Watcher
from examples.running.checks import must
from examples.running.programs import TOP

#: Tries of one attempt to reach the language model, and attempts of a job.
TRIES, ATTEMPTS = 4, 3


def worker_killed(stage: Stage) -> str:
    """The worker is killed in the middle of an answer."""
    with stage.half_an_answer() as (_accepted, watcher, expected):
        stage.chat.worker.kill()
        stage.model.go_on()
        stage.must_be_right(watcher, expected)
        must(len(watcher.of("started")) == 2, f"there were not two attempts: {watcher.names()}")
    stage.chat.worker.await_ready()
    return "another attempt begins, and the text with it: nothing of the two is mixed"


def gateway_restarted(stage: Stage) -> str:
    """The gateway is killed and started again in the middle of an answer."""
    with stage.half_an_answer() as (_accepted, watcher, expected):
        stage.chat.gateway.kill()
        stage.chat.gateway.await_ready()
        stage.model.go_on()
        stage.must_be_right(watcher, expected)
        must(watcher.connections >= 2, "it was never away")
    return "the watcher comes back and goes on: nothing is missing, nothing came twice"


def model_hesitates(stage: Stage) -> str:
    """The language model refuses three times and then answers."""
    asked = stage.model.asked
    stage.model.refuse(TRIES - 1)
    with stage.half_an_answer() as (_accepted, watcher, expected):
        stage.model.go_on()
        end = stage.must_be_right(watcher, expected)
        must(end.data["attempt"] == 1, f"it took {end.data['attempt']} attempts")
    must(stage.model.asked == asked + TRIES, f"it was asked {stage.model.asked - asked} times")
    return f"asked {TRIES} times within one attempt"


def model_gone(stage: Stage) -> str:
    """The language model is gone: after three attempts the question is a dead letter."""
    asked = stage.model.asked
    stage.model.refuse(1000)
    try:
        accepted = stage.ask(stage.a_question())
        with stage.watch(accepted) as watcher:
            end = watcher.end()
            retries = watcher.of("retrying")
    finally:
        stage.model.refuse(0)
    must((end.event, end.data["status"], end.data["error"]) == ("error", "failed", "ProviderAway"), f"{end.data}")
    must(len(retries) == ATTEMPTS - 1, f"it was tried again {len(retries)} times")
    must(stage.model.asked == asked + TRIES * ATTEMPTS, f"the model was asked {stage.model.asked - asked} times")
    letters = [letter for letter in _dead_letters(stage) if letter["job_id"] == accepted["job_id"]]
    must(len(letters) == 1 and letters[0]["attempts"] == ATTEMPTS, f"the dead letters are {letters}")
    return f"{ATTEMPTS} attempts of {TRIES} tries, then an error event and a dead letter: {end.data['message'][:60]} …"


def nonsense(stage: Stage) -> str:
    """Ask in ways that nobody understands, and for what is not one's own."""
    path = f"/api/v1/chat/{stage.chat_id}/messages"
    bad: list[object] = [{}, [], {"message": "  "}, {"message": 5}, {"message": "a", "image_url": "file:///etc"}]
    for body in bad:
        stage.post(path, body, 422)
    stage.post(f"{path}/nobody/cancel", None, 404)
    mine, other = (stage.ask("hello", model="offline") for _ in range(2))
    refusals = []
    for token in ("", "nonsense", other["stream_token"]):
        with Watcher(mine["stream_url"], token) as watcher:
            refusals.append(watcher.refused())
    must(refusals == [401, 401, 403], f"without the right token it is answered with {refusals}")
    return f"{len(bad)} bad messages: 422 each; no token and a wrong one: 401, that of another answer: 403"


def gateway_counts(stage: Stage) -> str:
    """Look at the gateway's metrics."""
    text = httpx2.get(f"{stage.chat.gateway_url}/metrics", timeout=10).text
    told = {line.split(" ")[0]: float(line.split(" ")[1]) for line in text.splitlines() if line.startswith("sse_")}
    must(told["sse_gateway_queue_dropped_total"] == 0, "events were dropped")
    distributed = told["sse_gateway_events_distributed_total"]
    must(distributed > 0, "no event was counted")
    return f"{distributed:g} events distributed since it was restarted, none dropped"


def _dead_letters(stage: Stage) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "goatherd", "dead", "list", "examples.chat.herd:chat", "--each", "--json"]
    ended = subprocess.run(
        command, cwd=TOP, env=stage.chat.environment, timeout=30, check=True, capture_output=True, text=True
    )
    letters: list[dict[str, Any]] = json.loads(ended.stdout)
    return letters
