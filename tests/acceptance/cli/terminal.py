"""A terminal of 80 columns and 24 lines with a command on it."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from signal import Signals

from tests.acceptance.cli.stage import GOATHERD, PATIENCE, Stage

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b[=>]")
#: With it each picture begins at the upper left corner.
_HOME = "\x1b[H"


class Terminal:
    """Keys go in, pictures come out."""

    def __init__(self, process: "subprocess.Popen[bytes]", line: int) -> None:
        self._process = process
        self._line = line
        self._written = ""
        #: How often what was on it before was shown again.
        self.left = 0

    def see(self, text: str, without: str | None = None, patience: float = PATIENCE) -> str:
        """Wait for a picture with this text, and without the other, that was not seen before; the picture."""
        deadline = time.monotonic() + patience
        while True:
            # What comes in pieces is whole when the next one begins, a second later.
            *whole, last = self._written.split(_HOME)
            for picture in whole:
                plain = _ESCAPES.sub("", picture)
                if text in plain and (without is None or without not in plain):
                    self._written = _HOME + last
                    return plain
            assert self._read(deadline), f"no picture with {text!r}:\n{self._written}"

    def read(self, text: str, patience: float = PATIENCE) -> None:
        """Wait for a text on one on which lines only follow each other."""
        deadline = time.monotonic() + patience
        while text not in self._written:
            assert self._read(deadline), f"nothing says {text!r}:\n{self._written}"

    def press(self, key: str) -> None:
        os.write(self._line, key.encode())

    def resize(self, lines: int, columns: int) -> None:
        fcntl.ioctl(self._line, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def tell(self, number: Signals) -> None:
        self._process.send_signal(number)

    def end(self, patience: float = PATIENCE) -> int:
        """Its exit code, once it has ended."""
        deadline = time.monotonic() + patience
        # It could not end if nobody read what it writes.
        while self._process.poll() is None and time.monotonic() < deadline:
            self._read(time.monotonic() + 0.05)
        while self._read(time.monotonic()):
            """The last that it wrote."""
        return self._process.wait(0.1)

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._line], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return False
        try:
            read = os.read(self._line, 65_536)
        except OSError:
            # Linux says so when the other side is gone.
            return False
        self._written += read.decode(errors="replace")
        self.left += read.count(b"\x1b[?1049l")
        return bool(read)


@contextmanager
def terminal(stage: Stage, *arguments: str, kind: str = "xterm") -> Iterator[Terminal]:
    """One on which a command runs."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    before = termios.tcgetattr(theirs)
    process = subprocess.Popen(
        [*GOATHERD, *arguments], cwd=stage.folder, env=stage.environment | {"TERM": kind}, stdin=theirs,
        stdout=theirs, stderr=theirs, start_new_session=True,
    )  # fmt: skip
    try:
        yield (screen := Terminal(process, ours))
        assert termios.tcgetattr(theirs) == before, "the terminal is left as it was found"
        assert screen.left == (kind == "xterm"), "and shows what it showed before"
    finally:
        process.kill()
        process.wait(PATIENCE)
        os.close(theirs)
        os.close(ours)
