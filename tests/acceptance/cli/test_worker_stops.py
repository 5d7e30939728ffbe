"""A worker that is told to stop ends in good order."""

import json
import signal

import pytest

from tests.acceptance.cli.gate import Gate
from tests.acceptance.cli.stage import Stage


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_lets_the_running_job_end_and_hands_the_rest_back(
    stage: Stage, gate: Gate, number: signal.Signals
) -> None:
    worker = stage.worker("--concurrency", "1", "--queues", "gate")
    for name in ("first", "second"):
        stage.send("visit", f"port={gate.port}", f"name={name}")
    visitor = gate.next()
    worker.tell(number)
    worker.hear(rf"Stopping \({number.name}\).*1 running job may take up to 20 s")
    visitor.let_go()
    assert visitor.last_words() == "done"
    assert worker.end() == 0
    assert "Stopped" in worker.heard
    assert stage.queue("gate")["ready"] == 1
    assert stage.queue("gate")["running"] in (0, None), "None where the broker does not tell"


def test_a_second_signal_hurries(stage: Stage, gate: Gate) -> None:
    worker = stage.worker()
    stage.send("visit", f"port={gate.port}", "name=Ada")
    visitor = gate.next()
    worker.tell(signal.SIGTERM)
    worker.hear("Stopping")
    worker.tell(signal.SIGTERM)
    worker.hear(r"Hurrying \(SIGTERM again\): 1 running job stopped and handed back")
    assert visitor.last_words() == ""
    assert worker.end() == 0
    stage.worker()
    again = gate.next()
    assert (again.name, again.attempt) == ("Ada", 1)
    again.let_go()


def test_a_signal_while_the_app_still_starts_ends_it(stage: Stage) -> None:
    lifespan = """
import asyncio

@app.lifespan
async def slowly():
    print("loading", flush=True)
    await asyncio.Event().wait()
    yield
"""
    with (stage.folder / "shop.py").open("a", encoding="utf-8") as file:
        file.write(lifespan)
    worker = stage.start("worker", "shop:app")
    worker.hear("loading")
    worker.tell(signal.SIGTERM)
    assert worker.end() == 0
    assert "before any job was taken" in worker.heard


def test_the_log_can_be_read_by_programs(stage: Stage) -> None:
    worker = stage.worker("--json", "--verbose")
    stage.send("greet", "name=Ada")
    assert json.loads(worker.hear("done in").string)["level"] == "info"
    worker.tell(signal.SIGTERM)
    assert worker.end() == 0
    lines = [json.loads(line) for line in worker.heard.splitlines()]
    assert {"time", "level", "logger", "pid", "message"} <= set(lines[0])


def test_only_the_chosen_queues_are_served(stage: Stage) -> None:
    error = stage.run("worker", "shop:app", "--queues", "nowhere", code=1).stderr
    assert "nowhere" in error
    assert "Traceback" not in error
    worker = stage.start("worker", "shop:app", "--queues", "mail, gate")
    worker.hear("Taking jobs from mail, gate")
