"""A private Redis: its own folder and port, and an append-only file that survives `kill -9`."""

import shutil
from pathlib import Path

from scripts.servers.install import ensure_installed
from scripts.servers.ports import free_ports
from scripts.servers.private import PrivateServer, greeted

_PATH = "/usr/bin:/usr/sbin:/bin:/sbin:/usr/local/bin:/usr/local/sbin:/opt/homebrew/bin"


class Redis(PrivateServer):
    """One server process that can be killed, frozen and started again on the same files and port."""

    name = "Redis"
    start_deadline = 30.0  # it may have a file to load

    def __init__(self, folder: Path, *options: str) -> None:
        super().__init__(folder)
        [self._port] = free_ports(1)
        self._options = options

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self._port}/0"

    @property
    def port(self) -> int:
        return self._port

    def _command(self) -> list[str]:
        return [
            self._program(), "--port", str(self._port), "--bind", "127.0.0.1", "--dir", str(self._folder),
            "--appendonly", "yes", "--appendfsync", "everysec", "--save", "", *self._options,
        ]  # fmt: skip

    def _program(self) -> str:
        return redis_program()

    def _is_ready(self) -> bool:
        """A server with a password takes commands by refusing them; one that loads its file does not."""
        return greeted(self._port, b"PING\r\n", 7) in (b"+PONG\r\n", b"-NOAUTH")


def ensure_redis() -> None:
    """Have the programs of Redis on this machine; raises NoServer."""
    ensure_installed("redis-server", "redis-server", _PATH, "GOATHERD_TEST_REDIS_URL")


def redis_program() -> str:
    """The server; started with `--sentinel` it is a Sentinel."""
    found = shutil.which("redis-server", path=_PATH)
    if found is None:
        raise RuntimeError("redis-server is not installed")
    return found
