"""`goatherd dev`: edit, save, see."""

import signal

from tests.acceptance.cli.gate import Gate
from tests.acceptance.cli.stage import Stage


def test_a_change_starts_the_worker_anew_and_a_slip_is_waited_out(stage: Stage) -> None:
    dev = stage.start("dev", "shop:app")
    dev.hear("Watching 1 Python file")
    dev.hear("Taking jobs")
    path = stage.folder / "shop.py"
    code = path.read_text(encoding="utf-8")

    path.write_text(code + "\ndef broken(:\n", encoding="utf-8")
    dev.hear("shop.py changed: starting again")
    dev.hear("SyntaxError")
    dev.hear("could not start. It is tried again when a file changes")

    path.write_text(code + "\n@app.task\nasync def added(): ...\n", encoding="utf-8")
    dev.hear("shop.py changed")
    dev.hear("tasks: added, ")
    dev.hear("Taking jobs")
    job = stage.send("added")
    dev.hear(rf"added\[{job}\] done")

    dev.tell_group(signal.SIGINT)
    assert dev.end() == 0
    assert "Traceback" not in dev.heard


def test_a_job_that_runs_during_a_change_is_done_by_the_next_worker(stage: Stage, gate: Gate) -> None:
    dev = stage.start("dev", "shop:app")
    dev.hear("Taking jobs")
    stage.send("visit", f"port={gate.port}", "name=Ada")
    before = gate.next()
    (stage.folder / "another.py").write_text("", encoding="utf-8")
    dev.hear("another.py changed")
    assert before.last_words() == ""
    after = gate.next()
    assert (after.name, after.attempt) == ("Ada", 1)
    after.let_go()
    assert after.last_words() == "done"


def test_without_reload_it_is_a_worker_that_tells(stage: Stage) -> None:
    dev = stage.start("dev", "shop:app", "--no-reload")
    dev.hear("Taking jobs")
    stage.send("greet", "name=Ada")
    dev.hear(r"greet\[.*\] done")
    dev.tell(signal.SIGINT)
    assert dev.end() == 0
