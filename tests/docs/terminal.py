"""A program that runs beside the page, as in a terminal of its own."""

import os
import re
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.docs.transcript import line_pattern, plain

#: Seconds within which a program must say what the page shows, or end.
PATIENCE = 20.0


class Terminal:
    """Started at once; what it says is kept, and waited for line by line."""

    def __init__(self, command: str, folder: Path, environment: Mapping[str, str]) -> None:
        self._command = command
        self._lines: list[str] = []
        self._read = 0
        self._news = threading.Condition()
        # A session of its own: Ctrl-C is for everything that was started here, and for nothing else.
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", f"exec {command}"], cwd=folder, env=dict(environment), text=True, errors="replace",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._keep, name=f"reads {command}", daemon=True)
        self._reader.start()

    def shows(self, lines: Sequence[str]) -> None:
        """Wait until it has said these lines, in this order, after those that were waited for before."""
        for line in lines:
            if line.strip():
                self._wait_for(line)

    def said(self) -> str:
        """All that it has said so far."""
        with self._news:
            return "\n".join(self._lines)

    def press_ctrl_c(self) -> None:
        """Interrupt it and wait until it has ended."""
        os.killpg(self._process.pid, signal.SIGINT)
        self._process.wait(PATIENCE)
        self._reader.join(PATIENCE)

    def kill(self) -> None:
        """Kill it as the kernel does when memory runs out: no warning, no farewell."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(PATIENCE)

    def close(self) -> None:
        """End it, whatever it does; nothing happens to one that has ended."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        assert self._process.stdout is not None, "started with a pipe"
        self._process.stdout.close()

    def _keep(self) -> None:
        assert self._process.stdout is not None, "started with a pipe"
        for line in self._process.stdout:
            with self._news:
                self._lines.append(plain(line))
                self._news.notify_all()

    def _wait_for(self, line: str) -> None:
        wanted = re.compile(line_pattern(line))

        def said() -> bool:
            found = [place for place in range(self._read, len(self._lines)) if wanted.fullmatch(self._lines[place])]
            if found:
                self._read = found[0] + 1
            return bool(found)

        with self._news:
            if not self._news.wait_for(said, PATIENCE):
                told = "\n".join(self._lines[self._read :])
                raise AssertionError(f"{self._command!r} did not say {line!r} within {PATIENCE:g} s, but:\n{told}")
