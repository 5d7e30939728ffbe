"""Lanes are seen, and helped on when they are held; the command line as operators have it."""

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.cli.gate import Gate
from tests.acceptance.cli.stage import PATIENCE, Running, Stage


class Forum:
    """The app of the stories, and one worker of it."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.folder = stage.folder
        shutil.copy(Path(__file__).with_name("forum.py"), stage.folder)

    def break_down(self) -> None:
        (self.folder / "broken").touch()

    def mend(self) -> None:
        (self.folder / "broken").unlink()

    def worker(self, **environment: str) -> Running:
        running = self._stage.start("worker", "forum:app", "-v", **environment)
        running.hear("Taking jobs")
        return running

    def send(self, task: str, *arguments: str) -> str:
        return self._stage.run("send", "forum:app", task, *arguments).stdout.strip()

    def comment_all(self, *texts: str) -> list[str]:
        """Send comments on post 7 in one go; their ids."""
        program = (
            "import asyncio, sys; from forum import app, comment\n"
            "async def main():\n"
            "    async with app:\n"
            "        jobs = [comment.job(7, text, 'hush') for text in sys.argv[1:]]\n"
            "        print(*await app.send_many(jobs))\n"
            "asyncio.run(main())"
        )
        command = [sys.executable, "-c", program, *texts]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self._stage.environment,
            capture_output=True,
            text=True,
            timeout=20,
            check=True,
        )
        return done.stdout.split()

    def lanes(self, command: str, *arguments: str, code: int = 0) -> str:
        done = self._stage.run("lanes", command, "forum:app", *arguments, code=code)
        return done.stderr if code else done.stdout

    def lanes_json(self, command: str, *arguments: str) -> Any:
        return self._stage.json("lanes", command, "forum:app", *arguments)

    def dead(self, command: str, *arguments: str) -> str:
        return self._stage.run("dead", command, "forum:app", *arguments).stdout

    def dead_json(self, command: str, *arguments: str) -> Any:
        return self._stage.json("dead", command, "forum:app", *arguments)

    def waiting(self, other_than: str = "") -> dict[str, Any]:
        """The only lane, as soon as it waits for its next attempt, since another moment than that."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            [lane] = self.lanes_json("list")
            if lane["condition"] == "waiting" and lane["since"] != other_than:
                return dict(lane)
        raise AssertionError(f"did not wait within {PATIENCE:g} s: {lane}")

    def written(self, post: int) -> list[str]:
        path = self.folder / f"post-{post}"
        return path.read_text(encoding="utf-8").split() if path.exists() else []

    def held(self, *texts: str) -> tuple[list[str], Running]:
        """A lane of post 7 that is held at its first comment: the ids, and the worker."""
        self.break_down()
        jobs = self.comment_all(*texts)
        worker = self.worker()
        worker.hear("Lane post_id=7 is held")
        return jobs, worker


@pytest.fixture
def forum(stage: Stage) -> Forum:
    return Forum(stage)


def test_a_held_lane_is_seen_and_retried(forum: Forum) -> None:
    assert forum.lanes("list") == "No lanes: nothing waits in order.\n"
    jobs, worker = forum.held("one", "two", "three")

    [lane] = forum.lanes_json("list", "--held")
    assert (lane["key"], lane["shown"], lane["condition"]) == ("comments/post_id=7", "post_id=7", "held")
    assert (lane["length"], lane["head"]["job_id"], lane["head"]["task"]) == (3, jobs[0], "comment")
    assert (lane["burial"]["error_type"], lane["burial"]["message"]) == ("LookupError", "no post 7")
    table = forum.lanes("list")
    assert re.search(rf"post_id=7 +held +3 .* comment +{jobs[0][-12:]} +LookupError: no post 7", table)
    assert "goatherd lanes retry forum:app post_id=7" in table

    shown = forum.lanes("show", "post_id=7")
    assert "raise LookupError" in shown
    assert "hush" not in shown
    assert [line.split()[1] for line in shown.splitlines() if re.match(r" *[123]  ", line)] == jobs
    facts = forum.lanes_json("show", "comments/post_id=7", "--limit", "2")
    assert [job["arguments"]["text"] for job in facts["jobs"]] == ["one", "two"]

    forum.mend()
    told = forum.lanes("retry", "post_id=7")
    assert f"comment {jobs[0]}, the first of lane post_id=7, is tried again now; 2 jobs behind it wait" in told
    for job in jobs:
        worker.hear(rf"{job}\] done")
    assert forum.written(7) == ["one", "two", "three"]
    assert forum.lanes_json("list") == []


def test_a_skipped_job_is_a_dead_letter_that_goes_back_to_the_end(forum: Forum) -> None:
    jobs, worker = forum.held("one", "two", "three")
    asked = forum.lanes("skip", "post_id=7", code=2)
    assert f"Put comment {jobs[0]} of lane post_id=7 to the dead letters and go on with the 2 jobs behind it?" in asked

    told = forum.lanes("skip", "post_id=7", "--yes")
    assert f"comment {jobs[0]} is a dead letter now, and lane post_id=7 goes on with comment {jobs[1]}." in told
    worker.hear("Lane post_id=7 is held")
    [letter] = forum.dead_json("list", "--each")
    assert (letter["job_id"], letter["key"], letter["error_type"]) == (jobs[0], "post_id=7", "LookupError")
    assert re.search(r"^lane +post_id=7$", forum.dead("show", jobs[0]), re.MULTILINE)

    told = forum.dead("replay", jobs[0], "--yes")
    assert told == "Put 1 dead letter back to work: at the end of lane post_id=7, behind 2 others.\n"
    assert forum.dead_json("list") == []
    forum.mend()
    assert forum.lanes_json("retry", "--all", "--yes")["retried"][0]["job_id"] == jobs[1]
    for job in (*jobs[1:], jobs[0]):
        worker.hear(rf"{job}\] done")
    assert forum.written(7) == ["two", "three", "one"]


def test_other_arguments_may_mean_another_lane(forum: Forum) -> None:
    [job], worker = forum.held("one")
    forum.lanes("skip", "post_id=7", "--yes")
    forum.mend()
    told = forum.dead_json("replay", job, "--yes", "--arguments", '{"post_id": 8, "text": "eight"}')
    assert told == {
        "matched": 1,
        "replayed": 1,
        "lanes": [{"job_id": job, "lane": "comments/post_id=8", "ahead": 0}],
    }
    worker.hear(rf"{job}\] done")
    assert forum.written(8) == ["eight"]


def test_a_lane_that_waits_for_its_next_attempt_is_skipped(forum: Forum) -> None:
    job = forum.send("patient", "post_id=9")
    forum.worker()
    assert forum.waiting()["head"]["failures"] == 1
    assert "nobody to take it from; `goatherd lanes retry` or `skip`" in forum.lanes(
        "unblock", "post_id=9", "--yes", code=1
    )
    before = forum.waiting()["since"]
    forum.lanes("retry", "post_id=9")
    assert forum.waiting(before)["head"]["failures"] == 1
    told = forum.lanes("skip", "post_id=9", "--yes")
    assert "lane post_id=9 is empty now" in told
    facts = forum.dead_json("show", job)
    assert (facts["reason"], facts["error_type"], facts["attempts"]) == ("rejected", "SkippedByOperator", 1)


def test_a_lane_is_taken_from_its_worker(forum: Forum, gate: Gate) -> None:
    job = forum.send("like", "post_id=7", f"port={gate.port}")
    forum.worker()
    first = gate.next()
    [lane] = forum.lanes_json("list")
    assert (lane["condition"], lane["key"]) == ("running", "likes/post_id=7")
    assert f":{first.pid}:" in lane["worker"]
    assert "worker" in forum.lanes("retry", "post_id=7", code=1)

    assert f"with like {job}. Its code may still run" in forum.lanes("unblock", "post_id=7", code=2)
    told = forum.lanes("unblock", "post_id=7", "--yes")
    assert f"the next free worker starts like {job} again" in told
    second = gate.next()
    second.let_go()
    assert second.last_words() == "done"
    assert first.last_words() == ""


def test_it_must_be_clear_which_lane_is_meant(forum: Forum, gate: Gate) -> None:
    forum.send("comment", "post_id=7", "text=one")
    forum.send("like", "post_id=7", f"port={gate.port}")
    forum.send("comment", "post_id=77", "text=one")
    both = forum.lanes("show", "post_id=7", code=1)
    assert "2 lanes are shown as 'post_id=7': comments/post_id=7, likes/post_id=7." in both
    assert forum.lanes_json("show", "likes/post_id=7")["head"]["task"] == "like"
    assert forum.lanes_json("show", "post_id=77")["length"] == 1
    assert "There are comments/post_id=7" in forum.lanes("show", "post=7", code=1)
    assert "Say which lane" in forum.lanes("retry", code=2)
    assert "Say which lane" in forum.lanes("skip", "post_id=7", "--all", code=2)
    assert "as soon as a worker is free" in forum.lanes("skip", "post_id=77", "--yes", code=1)
