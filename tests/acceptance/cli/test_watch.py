"""`goatherd send --watch`: send a job and see how it goes."""

import json

from tests.acceptance.cli.stage import Stage


def test_the_text_goes_to_standard_output_and_all_else_to_standard_error(stage: Stage) -> None:
    stage.worker()
    done = stage.run("send", "shop:app", "tell", "words=3", "--watch")
    assert done.stdout == "word0 word1 word2 \n"
    told = done.stderr.splitlines()
    assert "queued" in told
    assert " 10 % telling" in told
    assert told[-1] == "done: 3"


def test_a_job_without_text_gives_its_result(stage: Stage) -> None:
    stage.worker()
    done = stage.run("send", "shop:app", "greet", "name=Ada", "--watch")
    assert json.loads(done.stdout) == "Hello, Ada! "


def test_a_text_that_begins_anew_is_told(stage: Stage) -> None:
    stage.worker()
    done = stage.run("send", "shop:app", "tell", "words=2", "fails=1", "--watch")
    assert done.stdout == "word0 word1 \nword0 word1 \n"
    assert "ConnectionError: lost the thread" in done.stderr
    assert "the text begins anew" in done.stderr


def test_a_job_that_fails_is_a_failure_of_the_command(stage: Stage) -> None:
    stage.worker()
    done = stage.run("send", "shop:app", "tell", "words=1", "fails=2", "--watch", code=1)
    assert "failed: ConnectionError: lost the thread" in done.stderr


def test_programs_get_one_event_a_line(stage: Stage) -> None:
    stage.worker()
    done = stage.run("send", "shop:app", "tell", "words=1", "--watch", "--json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["event"] for event in events] == ["queued", "started", "progress", "token", "done"]
    assert [event["seq"] for event in events] == [1, 2, 3, 4, 5]
    assert events[2]["fields"] == {"words": 1}


def test_one_waits_in_one_way_only(stage: Stage) -> None:
    assert "not both" in stage.run("send", "shop:app", "greet", "name=Ada", "--watch", "--call", code=2).stderr
