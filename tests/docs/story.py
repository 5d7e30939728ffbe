"""Do what a page says, word for word, in a folder of its own.

What stands above a block in `<!-- test: … -->` says how it is taken:

| note             | meaning                                                                           |
|------------------|-----------------------------------------------------------------------------------|
| (none)           | a titled block is saved; `$` commands are run and must end well and say just that; |
|                  | Python without a title is run with the page's other fragments                     |
| `background`     | the command goes on beside the page, in a terminal of its own                     |
| `first terminal` | the lines that the program in the background says next                            |
| `ctrl-c`         | the same, after it was interrupted                                                |
| `again`          | the command is repeated until it says what is shown                               |
| `fails`          | the command ends with an error                                                    |
| `not run: why`   | only read; Python must still compile                                              |
"""

import ast
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.docs import fragments
from tests.docs.markdown import ROOT, Block, blocks, name_of
from tests.docs.terminal import PATIENCE, Terminal
from tests.docs.transcript import Command, commands, says

#: Languages whose blocks are shell commands: with prompts and output, or one to a line.
WITH_PROMPT, WITHOUT_PROMPT = {"console", "shell-session"}, {"sh", "bash", "shell"}
#: What goes on until it is told to stop, also where a page does not say so.
ENDLESS = ("goatherd dev", "goatherd worker")
#: What is true already where these tests run: the checkout is there and installed.
NO_NEED = ("pip install", "python -m pip install", "git clone", "cd ")


def play(page: Path, folder: Path, *, imagine: bool = False) -> None:
    """Follow a page from top to bottom; raises AssertionError where it is not true.

    With `imagine` its fragments also see what its files define, and something where they use what nobody defines.
    """
    with _story(folder) as story:
        for block in blocks(page):
            story.take(block)
        story.run_fragments(page, imagine=imagine)


@contextmanager
def _story(folder: Path) -> "Iterator[Story]":
    story = Story(folder)
    try:
        yield story
    finally:
        for terminal in story.terminals:
            terminal.close()


class Story:
    """One page being followed."""

    def __init__(self, folder: Path) -> None:
        self.terminals: list[Terminal] = []
        self._folder = folder
        self._environment = user_environment()
        self._fragments: list[tuple[str, str]] = []
        self._modules: list[str] = []

    def take(self, block: Block) -> None:
        """Do what one block says."""
        if block.language == "python":
            compile(block.text, str(block), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        if block.note.startswith("not run"):
            return
        if block.file is not None:
            path = self._folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
            self._modules += [path.stem] if path.suffix == ".py" else []
        elif block.language == "python":
            self._fragments.append((str(block), block.text))
        elif block.note in ("first terminal", "ctrl-c"):
            if block.note == "ctrl-c":
                self.terminals[-1].press_ctrl_c()
            self.terminals[-1].shows(block.text.splitlines())
        else:
            for command in _commands(block):
                self._do(command, block)

    def run_fragments(self, page: Path, *, imagine: bool) -> None:
        """Run the Python that stands for itself."""
        if self._fragments:
            child = [sys.executable, str(Path(fragments.__file__))]
            modules = self._modules if imagine else []
            given = {"fragments": self._fragments, "modules": modules, "imagine": imagine}
            ended = self._run(child, input=json.dumps(given))
            assert ended.returncode == 0, f"the code of {name_of(page)} fails:\n{ended.stdout}"

    def _do(self, command: Command, block: Block) -> None:
        if command.line.startswith(NO_NEED):
            return
        if block.note == "background" or command.line.startswith(ENDLESS):
            self.terminals.append(Terminal(command.line, self._folder, self._environment))
            self.terminals[-1].shows(command.shown or ["...Taking jobs from..."])
        elif command.line.startswith("make "):
            # A test must not run all tests; that the target is there is what can be seen from here.
            subprocess.run(
                ["make", "-n", *shlex.split(command.line, comments=True)[1:]], cwd=ROOT, check=True, capture_output=True
            )
        else:
            self._do_once_or_again(command, block)

    def _do_once_or_again(self, command: Command, block: Block) -> None:
        give_up = time.monotonic() + (PATIENCE if block.note == "again" else 0)
        while True:
            ended = self._run(["/bin/sh", "-c", command.line])
            well = (ended.returncode != 0) == (block.note == "fails")
            if well and (not command.shown or says(command.shown, ended.stdout)):
                return
            if time.monotonic() >= give_up:
                shown = "\n".join(command.shown) or "(anything)"
                raise AssertionError(
                    f"{block}: $ {command.line}\nexit code {ended.returncode}; shown:\n{shown}\nsaid:\n{ended.stdout}"
                )

    def _run(self, command: list[str], *, input: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self._folder, env=self._environment, input=input, timeout=2 * PATIENCE, check=False, text=True,
            errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip


def _commands(block: Block) -> list[Command]:
    if block.language in WITH_PROMPT:
        return list(commands(block.text))
    if block.language in WITHOUT_PROMPT:
        lines = [line.partition(" #")[0].strip() for line in block.text.splitlines()]
        return [Command(line, ()) for line in lines if line and not line.startswith("#")]
    return []


def user_environment() -> dict[str, str]:
    """A user's shell: our commands can be found, and nothing of the developer's own settings is set."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("GOATHERD_", "PYTEST_", "COLUMNS"))
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{kept.get('PATH', os.defpath)}"
    # In a terminal Python writes line by line; here it must be told to.
    return kept | {"PATH": path, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1", "TERM": "dumb"}
