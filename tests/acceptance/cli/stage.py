"""A folder with an app in it, and the command line as a user has it."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from contextlib import chdir, redirect_stdout, suppress
from io import BytesIO, TextIOWrapper
from pathlib import Path
from queue import Empty, SimpleQueue
from signal import SIGKILL, Signals
from typing import Any
from unittest.mock import patch

from goatherd.cli.main import run
from scripts.scratch import with_bytecode

GOATHERD = [sys.executable, "-m", "goatherd"]
#: Seconds after which a story gives up waiting.
PATIENCE = 20.0


class Running:
    """A command that runs in the background; its output is read as it comes."""

    def __init__(self, command: list[str], folder: Path, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._heard: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    @property
    def heard(self) -> str:
        """Everything it has said so far, as far as the story has listened."""
        return "\n".join(self._heard)

    def hear(self, pattern: str, patience: float = PATIENCE) -> re.Match[str]:
        """Wait for a line that matches; only lines that were not heard before."""
        deadline = time.monotonic() + patience
        while (line := self._next_line(deadline, pattern)) is not None:
            if match := re.search(pattern, line):
                return match
        raise AssertionError(f"ended without saying {pattern!r}:\n{self.heard}")

    def tell(self, number: Signals) -> None:
        self._process.send_signal(number)

    def tell_group(self, number: Signals) -> None:
        """As a terminal does with Ctrl-C, and a service manager with SIGTERM: everyone gets it."""
        os.killpg(self.pid, number)

    def end(self, patience: float = PATIENCE) -> int:
        """Listen until it and all its children have ended; its exit code."""
        deadline = time.monotonic() + patience
        while self._next_line(deadline, "its end") is not None:
            pass
        return self._process.wait(PATIENCE)

    def close(self) -> None:
        """Leave nothing behind, whatever the story came to."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, SIGKILL)
        self._process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def _next_line(self, deadline: float, what: str) -> str | None:
        try:
            line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except Empty:
            raise AssertionError(f"did not come in time: {what}\n{self.heard}") from None
        if line is not None:
            self._heard.append(line)
        return line


class Stage:
    """One story's folder."""

    def __init__(self, folder: Path, bytecode: Path) -> None:
        self.folder = folder
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GOATHERD_", "COLUMNS"))}
        # Bytecode is kept between the many starts of Python; who wants none in the checkout gets none there.
        self.environment = {**with_bytecode(kept, bytecode), "NO_COLOR": "1"}
        self._running: list[Running] = []
        shutil.copy(Path(__file__).with_name("shop.py"), folder)

    def run(self, *arguments: str, code: int = 0, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end and check its exit code."""
        done = subprocess.run(
            [*GOATHERD, *arguments],
            cwd=self.folder,
            env=self.environment | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == code, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def json(self, *arguments: str, code: int = 0) -> Any:
        """What a command tells programs."""
        return json.loads(self.run(*arguments, "--json", code=code).stdout)

    def inside(self, *arguments: str, code: int = 0) -> str:
        """What a command says that is run in this process: it costs far less, where a process proves nothing."""
        said = TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True)
        with (
            chdir(self.folder),
            patch.dict(os.environ, self.environment, clear=True),
            patch.object(sys, "path", list(sys.path)),
            redirect_stdout(said),
        ):
            # The app as it is written and set up now.
            sys.modules.pop("shop", None)
            ended = run(list(arguments))
        sys.modules.pop("shop", None)
        said.seek(0)
        told = said.read()
        assert ended == code, f"exit code {ended}\n{told}"
        return told

    def send(self, *arguments: str) -> str:
        """Send a job; its id."""
        return self.run("send", "shop:app", *arguments).stdout.strip()

    def start(self, *arguments: str, **environment: str) -> Running:
        """Start a command that goes on."""
        running = Running([*GOATHERD, *arguments], self.folder, self.environment | environment)
        self._running.append(running)
        return running

    def worker(self, *arguments: str, **environment: str) -> Running:
        """A worker that takes jobs."""
        running = self.start("worker", "shop:app", *arguments, **environment)
        running.hear("Taking jobs")
        return running

    def queue(self, name: str) -> dict[str, Any]:
        """How a queue stands."""
        [state] = self.json("queues", "list", "shop:app", name)
        return dict(state)

    def close(self) -> None:
        for running in self._running:
            running.close()
