"""A job sent from the shell is done by a worker."""

import json

from tests.acceptance.cli.gate import Gate
from tests.acceptance.cli.stage import Stage


def test_a_worker_does_what_was_sent(stage: Stage, gate: Gate) -> None:
    worker = stage.worker("--tell-jobs")
    job = stage.send("visit", f"port={gate.port}", "name=Ada")
    visitor = gate.next()
    assert (visitor.name, visitor.attempt) == ("Ada", 1)
    visitor.let_go()
    assert visitor.last_words() == "done"
    worker.hear(rf"visit\[{job}\] done in")


def test_values_are_json_where_the_task_wants_it_and_text_otherwise(stage: Stage) -> None:
    stage.send("greet", "name=12345", "times=2")
    stage.send("greet", 'name="quoted"')
    error = stage.run("send", "shop:app", "greet", "name=Ada", "times=often", code=2).stderr
    assert "times: Expected `int`, got `str`" in error
    assert stage.queue("shop")["ready"] == 2


def test_options_say_when_and_under_which_id(stage: Stage) -> None:
    options = ("--delay", "1h30m", "--id", "greeting-1", "--priority", "9")
    told = stage.json("send", "shop:app", "greet", "name=Ada", *options)
    assert told == {"id": "greeting-1", "task": "greet", "queue": "shop"}
    stage.run("send", "shop:app", "greet", "name=Ada", "--at", "2090-01-31T09:00Z", "--deadline", "100000d")
    assert stage.queue("shop")["ready"] == 0
    assert stage.queue("shop")["delayed"] in (2, None), "None where the broker does not tell"


def test_mistakes_are_told_and_nothing_is_sent(stage: Stage) -> None:
    def error(*arguments: str) -> str:
        return stage.run("send", "shop:app", *arguments, code=2).stderr

    assert "Did you mean 'greet'? Its tasks: greet, refuse, tell, visit." in error("gret")
    assert "name: missing" in error("greet")
    assert "nam: not an argument of this task (it takes name, times)" in error("greet", "nam=Ada")
    assert "'Ada' is no argument; write NAME=VALUE" in error("greet", "Ada")
    assert "given twice" in error("greet", "name=Ada", "name=Bob")
    assert "not both" in error("greet", "name=Ada", "--delay", "1s", "--at", "2090-01-01")
    assert "'soon' is no span of time; write for example 90s" in error("greet", "name=Ada", "--delay", "soon")
    assert stage.queue("shop")["ready"] == 0


def test_the_id_is_all_that_is_printed(stage: Stage) -> None:
    done = stage.run("send", "shop:app", "greet", "name=Ada")
    assert (len(done.stdout.split()), done.stderr) == (1, "")
    assert json.loads(stage.run("send", "shop:app", "greet", "name=Ada", "--json").stdout)["task"] == "greet"


def test_a_call_prints_the_result_or_says_why_there_is_none(stage: Stage) -> None:
    late = stage.run("send", "shop:app", "greet", "name=Ada", "--call", "--deadline", "1s", code=1).stderr
    assert "No answer to greet[" in late
    assert "within 1 s" in late
    stage.worker()
    told = stage.run("send", "shop:app", "greet", "name=Ada", "--call").stdout
    assert json.loads(told).strip() == "Hello, Ada!"
    failed = stage.run("send", "shop:app", "refuse", "customer=8", "--call", code=1).stderr
    assert "failed with LookupError: no customer 8" in failed
    assert (
        "leave out --delay"
        in stage.run("send", "shop:app", "greet", "name=A", "--call", "--delay", "1s", code=2).stderr
    )
