"""The examples do what they say, with a real worker."""

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

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


def test_hello_can_be_run_with_make(tmp_path: Path) -> None:
    elsewhere = {"GOATHERD_BROKER_URL": f"sqlite:///{tmp_path}/hello.db"}
    assert run(["make", "-s", "example", "NAME=hello"], ROOT, elsewhere).startswith("Sent job 01")


def run(command: list[str], folder: Path, settings: Mapping[str, str] = MappingProxyType({})) -> str:
    environment = {**user_environment(), **settings}
    ended = subprocess.run(
        command, cwd=folder, env=environment, timeout=50, check=True, stdout=subprocess.PIPE, text=True
    )
    return ended.stdout
