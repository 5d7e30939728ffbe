"""A private Redis: its own folder and port, and an append-only file that survives `kill -9`."""

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Self

from scripts.servers.install import ensure_installed
from scripts.servers.rabbitmq import free_ports

#: Seconds that the server may take to start on a busy machine, or to load its file.
START_DEADLINE = 30.0
_PATH = "/usr/bin:/usr/sbin:/bin:/sbin:/usr/local/bin:/usr/local/sbin:/opt/homebrew/bin"


class Redis:
    """One server process that can be killed, frozen and started again on the same files and port."""

    def __init__(self, folder: Path, *options: str) -> None:
        self._folder = folder
        [self._port] = free_ports(1)
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self._port}/0"

    @property
    def port(self) -> int:
        return self._port

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

    def start(self) -> None:
        """Start it and wait until it answers."""
        self._folder.mkdir(parents=True, exist_ok=True)
        command = [
            _server(), "--port", str(self._port), "--bind", "127.0.0.1", "--dir", str(self._folder),
            "--appendonly", "yes", "--appendfsync", "everysec", "--save", "", *self._options,
        ]  # fmt: skip
        with (self._folder / "console.log").open("ab") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd=self._folder
            )
        self._await_ready()

    def kill(self) -> None:
        """kill -9."""
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

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None and self.running:
            os.kill(self._process.pid, number)

    def _await_ready(self) -> None:
        deadline = time.monotonic() + START_DEADLINE
        while time.monotonic() < deadline and self.running:
            if self._answers():
                return
            time.sleep(0.02)
        words = (self._folder / "console.log").read_text(errors="replace")[-2000:]
        self.kill()
        raise RuntimeError(f"Redis did not start within {START_DEADLINE:g} s. Its last words:\n{words}")

    def _answers(self) -> bool:
        """Whether it takes commands; a server with a password does so by refusing, one that loads its file does not."""
        try:
            with socket.create_connection(("127.0.0.1", self._port), 1) as probe:
                probe.settimeout(2)
                probe.sendall(b"PING\r\n")
                return probe.recv(7) in (b"+PONG\r\n", b"-NOAUTH")
        except OSError:
            return False


def ensure_redis() -> None:
    """Have the programs of Redis on this machine; raises NoServer."""
    ensure_installed("redis-server", "redis-server", _PATH, "GOATHERD_TEST_REDIS_URL")


def _server() -> str:
    found = shutil.which("redis-server", path=_PATH)
    if found is None:
        raise RuntimeError("redis-server is not installed")
    return found
