"""What every command does alike: errors in a paragraph, questions to people only, quiet ends."""

import os
import pty
import subprocess

import pytest

from tests.acceptance.cli.brokers import embedded
from tests.acceptance.cli.stage import GOATHERD, PATIENCE, Stage


@embedded
def test_an_error_is_one_paragraph_and_its_traceback_is_for_those_who_ask(stage: Stage) -> None:
    (stage.folder / "other.db").write_bytes(b"this is no database at all, only some text" * 100)
    command = ("queues", "list", "shop:app")
    plain = stage.run(*command, code=1, GOATHERD_BROKER_URL="sqlite:///other.db")
    assert plain.stderr.startswith("Error: The file other.db is not an SQLite database.")
    assert len(plain.stderr.splitlines()) == 1
    assert plain.stdout == ""
    verbose = stage.run(*command, "--verbose", code=1, GOATHERD_BROKER_URL="sqlite:///other.db")
    assert "Traceback" in verbose.stderr
    assert "NotADBError" in verbose.stderr


@embedded
def test_every_wrong_setting_is_told_at_once(stage: Stage) -> None:
    (stage.folder / "goatherd.toml").write_text('lease = "long"\n', encoding="utf-8")
    error = stage.run("worker", "shop:app", code=1, GOATHERD_CONCURRENCY="many").stderr
    assert "2 settings are wrong" in error


@pytest.mark.parametrize(("answer", "code", "left"), [("n", 1, 1), ("y", 0, 0)])
def test_a_person_is_asked_before_something_is_deleted(stage: Stage, answer: str, code: int, left: int) -> None:
    stage.send("greet", "name=Ada")
    terminal, inside = pty.openpty()
    try:
        with subprocess.Popen(
            [*GOATHERD, "queues", "purge", "shop:app", "shop"],
            cwd=stage.folder,
            env=stage.environment,
            stdin=inside,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as asking:
            os.write(terminal, f"{answer}\n".encode())
            _, asked = asking.communicate(timeout=PATIENCE)
    finally:
        os.close(terminal)
        os.close(inside)
    assert b"Delete 1 waiting job of queue 'shop' for good? [y/N]" in asked
    assert asking.returncode == code
    assert stage.queue("shop")["ready"] == left


def test_a_reader_that_leaves_early_is_no_error_to_shout_about(stage: Stage) -> None:
    with subprocess.Popen(
        [*GOATHERD, "queues", "list", "shop:app", "--watch", "--json"],
        cwd=stage.folder,
        env=stage.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as writing:
        assert writing.stdout is not None
        assert writing.stderr is not None
        writing.stdout.readline()
        writing.stdout.close()
        assert writing.stderr.read() == b""
        assert writing.wait(PATIENCE) == 1


def test_what_goes_into_a_pipe_has_no_colours_and_is_not_cut(stage: Stage) -> None:
    environment = {name: value for name, value in stage.environment.items() if name != "NO_COLOR"}
    long_name = "queue-" + "x" * 120
    (stage.folder / "wide.py").write_text(
        f"from goatherd import Goatherd\napp = Goatherd('wide')\n@app.task(queue='{long_name}')\nasync def a(): ...\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [*GOATHERD, "queues", "list", "wide:app"],
        cwd=stage.folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert "\x1b" not in done.stdout
    assert long_name in done.stdout
