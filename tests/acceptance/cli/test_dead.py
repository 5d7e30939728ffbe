"""Dead letters are seen, replayed and discarded."""

import re
import signal
import sys
from typing import Any

from tests.acceptance.cli.gate import Gate
from tests.acceptance.cli.stage import Stage


def bury(stage: Stage, *jobs: tuple[str, ...]) -> list[str]:
    """Send jobs that fail and let a worker give them up; their ids."""
    sent = [stage.send(*job) for job in jobs]
    worker = stage.start("worker", "shop:app")
    for _ in jobs:
        worker.hear("is a dead letter")
    worker.tell(signal.SIGTERM)
    assert worker.end() == 0
    return sent


def letters(stage: Stage) -> list[dict[str, Any]]:
    return list(stage.json("dead", "list", "shop:app", "--each"))


def test_what_died_of_the_same_error_is_one_line(stage: Stage) -> None:
    assert stage.run("dead", "list", "shop:app").stdout == "No dead letters.\n"
    bury(stage, *(("refuse", f"customer={number}") for number in (1, 2, 30)), ("visit", "port=1", "name=Ada"))
    groups = stage.json("dead", "list", "shop:app")
    assert [(group["count"], group["task"], group["error_type"]) for group in groups] == [
        (3, "refuse", "LookupError"),
        (1, "visit", "ConnectionRefusedError"),
    ]
    table = stage.run("dead", "list", "shop:app").stdout
    assert re.search(r"3 +refuse +LookupError: no customer 30", table)
    assert "goatherd dead replay shop:app --task refuse --error LookupError" in table


def test_filters_choose(stage: Stage) -> None:
    bury(stage, ("refuse", "customer=1"), ("refuse", "customer=2"), ("visit", "port=1", "name=Ada"))

    def found(*filters: str) -> int:
        return len(stage.json("dead", "list", "shop:app", "--each", *filters))

    assert (found("--queue", "mail"), found("--task", "visit"), found("--error", "customer 2")) == (2, 1, 1)
    assert (found("--older-than", "1h"), found("--older-than", "0s"), found("--limit", "2")) == (0, 3, 2)
    assert "match" in stage.run("dead", "list", "shop:app", "--task", "nothing").stdout


def test_everything_about_one_letter_but_its_secrets(stage: Stage) -> None:
    [job] = bury(stage, ("refuse", "customer=1", "password=hush-hush"))
    [letter] = letters(stage)
    for name in (job, letter["id"], letter["id"][-8:]):
        told = stage.run("dead", "show", "shop:app", name)
        assert "hush-hush" not in told.stdout
        assert re.search(r'^ +password +"\*\*\*"$', told.stdout, re.MULTILINE)
        assert "raise LookupError" in told.stdout
    facts = stage.json("dead", "show", "shop:app", job)
    assert facts["arguments"] == {"customer": 1, "password": "***"}
    assert (facts["reason"], facts["attempts"], facts["queue"]) == ("failed", 1, "mail")
    assert "no dead letter 'unknown'" in stage.run("dead", "show", "shop:app", "unknown", code=1).stderr


def test_a_letter_is_replayed_with_other_arguments(stage: Stage, gate: Gate) -> None:
    bury(stage, ("refuse", "customer=1", "password=hush"))
    [letter] = letters(stage)
    replay = ("dead", "replay", "shop:app", letter["id"], "--yes")
    assert "customer: Expected `int`" in stage.run(*replay, "--arguments", '{"customer": "x"}', code=2).stderr
    assert "must be a JSON object" in stage.run(*replay, "--arguments", "[7]", code=2).stderr
    assert len(letters(stage)) == 1
    told = stage.json(*replay, "--arguments", f'{{"customer": 7, "port": {gate.port}}}')
    assert told == {"matched": 1, "replayed": 1, "lanes": []}
    stage.worker()
    assert gate.next().name == "customer 7"
    assert letters(stage) == []


def test_a_letter_is_edited_and_its_secret_kept(stage: Stage, gate: Gate) -> None:
    [job] = bury(stage, ("refuse", "customer=1", "password=hush"))
    editor = stage.folder / "editor.py"
    editor.write_text(
        "import json, sys\n"
        "arguments = json.load(open(sys.argv[1]))\n"
        "assert arguments == {'customer': 1, 'password': '***'}, arguments\n"
        f"arguments |= {{'customer': 7, 'port': {gate.port}}}\n"
        "json.dump(arguments, open(sys.argv[1], 'w'))\n",
        encoding="utf-8",
    )
    stage.run("dead", "replay", "shop:app", job, "--edit", "--yes", EDITOR=f"{sys.executable} {editor}")
    stage.worker()
    visitor = gate.next()
    assert (visitor.name, visitor.password) == ("customer 7", "hush")


def test_an_edit_that_changes_nothing_replays_nothing(stage: Stage) -> None:
    [job] = bury(stage, ("refuse", "customer=1"))
    error = stage.run("dead", "replay", "shop:app", job, "--edit", "--yes", code=1, EDITOR="true").stderr
    assert "Nothing was changed, so nothing was replayed." in error
    assert len(letters(stage)) == 1


def test_many_are_replayed_and_discarded_by_filter(stage: Stage) -> None:
    bury(stage, *(("refuse", f"customer={number}") for number in (1, 2, 3)), ("visit", "port=1", "name=Ada"))
    asked = stage.run("dead", "replay", "shop:app", "--task", "refuse", code=2).stderr
    assert "Put 3 dead letters (3 refuse) back to work?" in asked
    replayed = stage.json("dead", "replay", "shop:app", "--task", "refuse", "--limit", "2", "--yes")
    assert replayed == {"matched": 2, "replayed": 2, "lanes": []}
    assert stage.queue("mail")["ready"] == 2
    assert stage.json("dead", "discard", "shop:app", "--all", "--yes") == {"matched": 2, "discarded": 2}
    assert "No dead letters match." in stage.run("dead", "discard", "shop:app", "--all").stdout


def test_it_must_be_said_which_are_meant(stage: Stage) -> None:
    for command in ("replay", "discard"):
        assert "Say which dead letters" in stage.run("dead", command, "shop:app", code=2).stderr
        assert "give one of the three" in stage.run("dead", command, "shop:app", "--all", "--task", "x", code=2).stderr
    assert "is for one letter" in stage.run("dead", "replay", "shop:app", "--all", "--edit", code=2).stderr
