"""The examples do what they say, with a real worker."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.markdown import ROOT
from tests.docs.story import user_environment
from tests.docs.terminal import Terminal


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Terminal]:
    """`goatherd dev hello:app`, taking jobs, in a folder that holds hello.py."""
    shutil.copy(ROOT / "examples" / "hello.py", tmp_path)
    terminal = Terminal("goatherd dev hello:app", tmp_path, user_environment())
    try:
        terminal.shows(["...Taking jobs from hello..."])
        yield terminal
    finally:
        terminal.close()


def test_hello_is_said_by_the_worker(worker: Terminal, tmp_path: Path) -> None:
    sent = run(["python", "hello.py"], tmp_path)
    assert sent.startswith("Sent job 01")
    worker.shows(["Hello, Ada!", "...greet[...] done in..."])


def test_hello_can_be_run_with_make() -> None:
    planned = run(["make", "-n", "example", "NAME=hello"], ROOT)
    assert 'sh scripts/example.sh "hello"' in planned


def run(command: list[str], folder: Path) -> str:
    ended = subprocess.run(
        command, cwd=folder, env=user_environment(), timeout=30, check=True, capture_output=True, text=True
    )
    return ended.stdout
