"""The examples do what they say, with a real worker."""

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from tests.docs.markdown import ROOT
from tests.docs.story import user_environment
from tests.docs.terminal import Terminal


@contextmanager
def worker(command: str, folder: Path, settings: Mapping[str, str] = MappingProxyType({})) -> Iterator[Terminal]:
    """A worker in a terminal of its own, taking jobs."""
    terminal = Terminal(command, folder, {**user_environment(), **settings})
    try:
        terminal.shows(["...Taking jobs from hello..."])
        yield terminal
    finally:
        terminal.close()


def test_hello_is_answered_by_the_worker(tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "hello.py", tmp_path)
    with worker("goatherd dev hello:app", tmp_path) as terminal:
        assert run(["python", "hello.py"], tmp_path) == "Hello, Ada!\n"
        terminal.shows(["...greet[...] done in..."])


def test_hello_can_be_run_with_make(tmp_path: Path) -> None:
    elsewhere = {"GOATHERD_BROKER_URL": f"sqlite:///{tmp_path}/hello.db"}
    with worker("goatherd dev examples.hello:app", ROOT, elsewhere):
        assert run(["make", "-s", "example", "NAME=hello"], ROOT, elsewhere) == "Hello, Ada!\n"


def run(command: list[str], folder: Path, settings: Mapping[str, str] = MappingProxyType({})) -> str:
    environment = {**user_environment(), **settings}
    ended = subprocess.run(
        command, cwd=folder, env=environment, timeout=50, check=True, stdout=subprocess.PIPE, text=True
    )
    return ended.stdout
