"""A server process of our own: started, killed, frozen and started again on the same files and ports."""

import os
import signal
import socket
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Self


class PrivateServer(ABC):
    """What all of them can; each says how it is started and when it is ready."""

    #: How it is called when it does not start, and the seconds that it may take on a busy machine.
    name: ClassVar[str]
    start_deadline: ClassVar[float]

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @abstractmethod
    def _command(self) -> Sequence[str]:
        """What is run; the folder is there."""

    @abstractmethod
    def _is_ready(self) -> bool:
        """Whether it takes connections."""

    def _environment(self) -> Mapping[str, str] | None:
        """The environment of the process; None is ours."""
        return None

    def _user(self) -> str | None:
        """Whose process it is; None is ours."""
        return None

    def _clear_up(self) -> None:  # noqa: B027 - most leave nothing behind
        """End what it leaves behind."""

    @property
    def running(self) -> bool:
        """Whether it has been started and has not ended; a frozen one runs, too."""
        return self._process is not None and self._process.poll() is None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        # Nobody needs its files any more, so it need not take its time to put them in order.
        self.kill()
        self._clear_up()

    def start(self) -> None:
        """Start it and wait until it is ready."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / "console.log").open("ab") as log:
            self._process = subprocess.Popen(
                self._command(), env=self._environment(), user=self._user(), stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True, cwd=self._folder,
            )  # fmt: skip
        deadline = time.monotonic() + self.start_deadline
        while time.monotonic() < deadline and self.running:
            if self._is_ready():
                return
            time.sleep(0.05)
        words = (self._folder / "console.log").read_text(errors="replace")[-2000:]
        self.kill()
        self._clear_up()
        raise RuntimeError(f"{self.name} did not start within {self.start_deadline:g} s. Its last words:\n{words}")

    def kill(self) -> None:
        """kill -9 of its whole process group."""
        self._signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()

    def freeze(self) -> None:
        """Stop it in its tracks, as a machine that swaps or a virtual machine that is moved."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        self._signal(signal.SIGCONT)

    def stop(self) -> None:
        """End it in good order."""
        if self._process is None:
            return
        self.thaw()
        self._signal(signal.SIGTERM)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()
        self._process = None
        self._clear_up()

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None and self.running:
            os.killpg(self._process.pid, number)


def greeted(port: int, greeting: bytes, size: int = 1) -> bytes:
    """The first bytes that a server on this machine answers to a greeting; none if it does not."""
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as probe:
            probe.settimeout(2)
            probe.sendall(greeting)
            return probe.recv(size)
    except OSError:
        return b""
