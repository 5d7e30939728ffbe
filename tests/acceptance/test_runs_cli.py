"""Runs of pipelines are seen, drawn, and helped on when they fail; the command line as operators have it."""

import asyncio
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import pytest

from scripts.servers.addresses import postgres_url
from tests.acceptance.cli.gate import Gate
from tests.acceptance.cli.stage import PATIENCE, Running, Stage
from tests.conformance.postgres_store import operator


class Studio:
    """The app of the stories, and one worker of it."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.folder = stage.folder
        shutil.copy(Path(__file__).with_name("studio.py"), stage.folder)

    def be_hoarse(self) -> None:
        (self.folder / "hoarse").touch()

    def get_well(self) -> None:
        (self.folder / "hoarse").unlink()

    def worker(self, *arguments: str) -> Running:
        running = self.stage.start("worker", "studio:app", "-v", *arguments)
        running.hear("Taking jobs")
        return running

    def start(self, pipeline: str, **inputs: Any) -> None:
        """Start runs, given by id and input."""
        program = (
            "import asyncio, json, sys, msgspec, studio\n"
            "async def main():\n"
            "    pipeline = getattr(studio, sys.argv[1])\n"
            "    kind = studio.Book if sys.argv[1] == 'audiobook' else list[str]\n"
            "    async with studio.app:\n"
            "        for id, given in json.loads(sys.argv[2]).items():\n"
            "            await pipeline.options(id=id).start(msgspec.convert(given, kind))\n"
            "asyncio.run(main())"
        )
        named = json.dumps({name.replace("_", "-"): given for name, given in inputs.items()})
        command = [sys.executable, "-c", program, pipeline, named]
        subprocess.run(command, cwd=self.folder, env=self.stage.environment, check=True, timeout=PATIENCE)

    def runs(self, command: str, *arguments: str, code: int = 0, **environment: str) -> str:
        done = self.stage.run("runs", command, "studio:app", *arguments, code=code, **environment)
        return done.stderr if code else done.stdout

    def runs_json(self, command: str, *arguments: str, code: int = 0) -> Any:
        return self.stage.json("runs", command, "studio:app", *arguments, code=code)

    def wait_for(self, run: str, state: str) -> dict[str, Any]:
        """The run, as soon as it is in that state."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            told = dict(self.runs_json("show", run))
            if told["state"] == state:
                return told
        raise AssertionError(f"{run} was not {state} within {PATIENCE:g} s: {told}")

    def done(self) -> list[str]:
        """What was done, in whatever order, since the beginning."""
        return sorted((self.folder / "done").read_text(encoding="utf-8").splitlines())


@pytest.fixture
def studio(stage: Stage) -> Studio:
    return Studio(stage)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.servers("postgres"))])
def anywhere(request: pytest.FixtureRequest, studio: Studio) -> Iterator[Studio]:
    """With its records in the file of the jobs, and in a database that nobody has used."""
    if request.param == "sqlite":
        yield studio
        return
    name = f"studio_{uuid4().hex}"
    asyncio.run(_do(f"CREATE DATABASE {name}"))
    studio.stage.environment["GOATHERD_RECORDS_URL"] = urlunsplit(urlsplit(postgres_url())._replace(path=f"/{name}"))
    yield studio
    studio.stage.close()
    asyncio.run(_do(f"DROP DATABASE {name} WITH (FORCE)"))


async def _do(statement: str) -> None:
    async with operator() as connection:
        await connection.execute(statement.encode())


def steps(told: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {step["step"]: step for step in told["steps"]}


BOOK = {"title": "Goats", "chapters": ["easy", "hard", "short"], "password": "hush"}


def test_a_failed_run_is_seen_drawn_and_retried(anywhere: Studio) -> None:
    assert anywhere.runs("list").startswith("No runs yet of audiobook, radio: start one")
    anywhere.be_hoarse()
    anywhere.worker()
    anywhere.start("audiobook", book_1=BOOK)
    facts = steps(anywhere.wait_for("book-1", "failed"))
    assert {name: step["state"] for name, step in facts.items()} == {
        "split": "done",
        "narrate": "spread",
        "draw": "done",
        "bind": "waiting",
    }
    assert (facts["narrate"]["done"], facts["narrate"]["total"], facts["narrate"]["failed"]) == (2, 3, 1)
    assert (facts["narrate"]["failures"], facts["narrate"]["trouble"]["message"]) == (2, "no voice")
    assert facts["bind"]["after"] == ["narrate", "draw"]

    [run] = anywhere.runs_json("list", "--state", "failed", "--pipeline", "audiobook", "--step", "narrate")
    assert (run["run"], run["steps_done"], run["steps_total"], run["now_at"]) == ("book-1", 2, 4, ["narrate"])
    table = anywhere.runs("list")
    assert re.search(r"book-1 +audiobook +failed +2/4 .*narrate: ConnectionError: no voice", table)
    assert "goatherd runs retry studio:app book-1" in table

    drawn = anywhere.runs("show", "book-1", COLUMNS="80")
    assert "hush" not in drawn
    assert 'raise ConnectionError("no voice")' in drawn
    rails = [line[:4].rstrip() for line in drawn.partition("failures\n")[2].splitlines()]
    assert rails[: rails.index("·") + 1] == ["✓", "│", "✗", "│", "│", "│", "│ ✓", "├─╯", "·"]
    assert max(map(len, drawn.partition("\n\n")[2].partition("\n\n")[0].splitlines())) <= 80
    plain = anywhere.runs("show", "book-1", PYTHONIOENCODING="ascii")
    assert plain.isascii()
    assert "+-+\n*   bind" in plain

    told = anywhere.runs("retry", "book-1", "--step", "draw", code=1)
    assert "Nothing has failed in draw of run book-1: it failed in narrate." in told
    anywhere.get_well()
    told = anywhere.runs("retry", "book-1")
    assert told == "Run book-1 goes on: 1 failed step or item is tried again now.\n"
    assert steps(anywhere.wait_for("book-1", "done"))["narrate"]["failed"] == 0
    assert anywhere.done() == ["bind", "narrate easy", "narrate hard", "narrate short", "split"]


def test_a_run_goes_back_to_a_step(studio: Studio) -> None:
    studio.worker()
    studio.start("audiobook", book_1=BOOK)
    studio.wait_for("book-1", "done")
    assert "it is done; --from STEP" in studio.runs("retry", "book-1", code=1)
    assert "Run book-1 has no step 'narate'. Did you mean 'narrate'?" in studio.runs(
        "retry", "book-1", "--step", "narate", code=1
    )
    asked = studio.runs("retry", "book-1", "--from", "narrate", code=2)
    assert "Do narrate, bind of run book-1 again; 4 results of theirs are forgotten?" in asked
    assert "Pipeline 'audiobook' has no step 'bin'. Did you mean 'bind'?" in studio.runs(
        "retry", "book-1", "--from", "bin", code=1
    )
    assert "give one of them" in studio.runs("retry", "book-1", "--from", "bind", "--step", "bind", code=2)
    told = studio.runs_json("retry", "book-1", "--from", "narrate", "--yes")
    assert told == {"run": "book-1", "resumed_from": "narrate", "again": ["narrate", "bind"]}
    assert "state     done, 4 of 4 steps done" in studio.runs("show", "book-1", "--watch")
    assert (studio.done().count("split"), studio.done().count("narrate easy"), studio.done().count("bind")) == (1, 2, 2)


def test_runs_are_cancelled_and_taken_up_again(studio: Studio, gate: Gate) -> None:
    studio.worker()
    studio.start("audiobook", book_1=BOOK | {"port": gate.port}, book_2=BOOK)
    first = gate.next()
    studio.wait_for("book-2", "done")
    facts = steps(studio.runs_json("show", "book-1"))
    assert facts["draw"]["state"] == "running"
    assert f":{first.pid}:" in facts["draw"]["worker"]
    assert "it goes on" in studio.runs("retry", "book-1", code=1)

    assert "There is no run 'book-3'" in studio.runs("cancel", "book-1", "book-3", code=1)
    told = studio.stage.run("runs", "cancel", "studio:app", "book-1", "book-2", code=1)
    assert told.stdout == "Run book-1 is cancelled. To take it up again: goatherd runs retry studio:app book-1\n"
    assert "There was nothing to cancel in what had ended: book-2 (done)." in told.stderr
    assert first.last_words() == ""
    watched = studio.stage.run("runs", "show", "studio:app", "book-1", "--watch", "--json", code=1).stdout
    assert json.loads(watched)["state"] == "cancelled"

    assert studio.runs("retry", "book-1") == "Run book-1 is taken up again where it was.\n"
    second = gate.next()
    second.let_go()
    assert second.last_words() == "done"
    studio.wait_for("book-1", "done")


def test_items_that_wait_to_be_stood_in_for_are_requeued(studio: Studio) -> None:
    studio.be_hoarse()
    worker = studio.worker("--queues", "studio")
    studio.start("radio", show_1=["a", "b"], show_2=["c"])
    for _ in range(3):
        worker.hear("cannot say")
    deadline = time.monotonic() + PATIENCE
    while (waiting := steps(studio.runs_json("show", "show-1"))["speak"]["compensating"]) < 2:
        assert time.monotonic() < deadline, f"only {waiting} wait"
    assert re.search(r"^! +speak +compensating +0/2", studio.runs("show", "show-1"), re.MULTILINE)
    assert [run["run"] for run in studio.runs_json("list", "--step", "speak")] == ["show-2", "show-1"]

    assert "no step 'speek'. Did you mean 'speak'?" in studio.runs("requeue-items", "--step", "speek", code=1)
    assert studio.runs_json("requeue-items", "--pipeline", "audiobook") == {"requeued": []}
    studio.get_well()
    first = studio.runs_json("requeue-items", "--step", "speak", "--limit", "2")["requeued"]
    assert sorted((unit["run"], unit["step"], unit["item"]) for unit in first) == [
        ("show-1", "speak", 0),
        ("show-1", "speak", 1),
    ]
    assert studio.runs("requeue-items") == "Trying again 1 of speak, in 1 run.\n"
    for run in ("show-1", "show-2"):
        studio.wait_for(run, "done")
    assert "Nothing failed" in studio.runs("requeue-items")


def test_after_a_deploy_both_are_drawn(studio: Studio) -> None:
    studio.start("audiobook", book_1=BOOK)
    code = studio.folder / "studio.py"
    code.write_text(code.read_text(encoding="utf-8").replace("draw", "paint"), encoding="utf-8")
    drawn = studio.runs("show", "book-1")
    assert re.search(r"^│ \+ paint +new\n│ │ +not in this run", drawn, re.MULTILINE)
    assert re.search(r"^○ +draw +ready\n +not in the code: nobody does it", drawn, re.MULTILINE)
    code.write_text(code.read_text(encoding="utf-8").replace('"audiobook"', '"talkingbook"'), encoding="utf-8")
    assert "the app 'studio' has none of that name" in studio.runs("show", "book-1")
    assert "1 run of pipeline 'audiobook': the code does not have it" in studio.stage.run("doctor", "studio:app").stdout
    told = studio.runs("retry", "book-1", "--from", "split", "--yes", code=1)
    assert "has no pipeline 'audiobook', so it is not known what comes after 'split'" in told


def test_errors_say_what_to_do(studio: Studio) -> None:
    assert "There is no run 'book-1'" in studio.runs("show", "book-1", code=1)
    assert "no pipeline 'dub'. There are audiobook, radio." in studio.runs("list", "--pipeline", "dub", code=1)
    away = studio.runs("list", code=1, GOATHERD_RECORDS_URL="postgresql://nobody@127.0.0.1:1/nothing")
    assert away.startswith("Error: ")
    assert "Traceback" not in away
    told = studio.stage.run("runs", "requeue-items", "shop:app", code=1).stderr
    assert "The app 'shop' has no pipelines" in told
    watched = studio.stage.start("runs", "list", "studio:app", "--watch", "--json")
    watched.hear(r"^\[\]$")
