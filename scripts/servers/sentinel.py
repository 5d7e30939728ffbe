"""Private Redis servers with a Sentinel: a primary one, a replica of it, and who puts the one in the other's place."""

import socket
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from scripts.servers.ports import free_ports
from scripts.servers.private import PrivateServer, greeted
from scripts.servers.redis import Redis, redis_program

#: What the servers are called there.
SERVICE = "goats"

_CONFIGURATION = """
port {port}
bind 127.0.0.1
sentinel monitor {service} 127.0.0.1 {primary} 1
sentinel down-after-milliseconds {service} 1000
sentinel failover-timeout {service} 5000
"""


class Sentinel(PrivateServer):
    """One Sentinel, which decides alone."""

    name = "Sentinel"
    start_deadline = 30.0

    def __init__(self, folder: Path, primary: int) -> None:
        super().__init__(folder)
        [self._port] = free_ports(1)
        self._primary = primary

    @property
    def port(self) -> int:
        return self._port

    def _command(self) -> list[str]:
        # It writes what it learns into this file.
        configuration = self._folder / "sentinel.conf"
        told = _CONFIGURATION.format(port=self._port, service=SERVICE, primary=self._primary)
        if not configuration.exists():
            configuration.write_text(told)
        return [redis_program(), str(configuration), "--sentinel"]

    def _is_ready(self) -> bool:
        return greeted(self._port, b"PING\r\n", 7) == b"+PONG\r\n"


class GuardedRedis:
    """Two servers and their Sentinel."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._life = ExitStack()
        self.servers: list[Redis] = []
        self.sentinel: Sentinel

    @property
    def url(self) -> str:
        """Another Sentinel stands before it in the list, which is not there."""
        return f"redis+sentinel://127.0.0.1:1,127.0.0.1:{self.sentinel.port}/{SERVICE}/0"

    def primary_port(self) -> int:
        """Of the server that the Sentinel tells to be the primary one now."""
        return int(answer(self.sentinel.port, "SENTINEL", "get-master-addr-by-name", SERVICE).split("\r\n")[4])

    def primary(self) -> Redis:
        """That server."""
        [found] = [server for server in self.servers if server.port == self.primary_port()]
        return found

    def in_step(self) -> bool:
        """Whether the one server has all that the other one wrote."""
        roles = [answer(server.port, "ROLE").split("\r\n") for server in self.servers]
        written = [int(role[3][1:]) for role in roles if role[2:3] == ["master"]]
        # A replica says that it is connected a little before anything comes to it.
        read = [int(role[8][1:]) for role in roles if role[2:3] == ["slave"] and role[7] == "connected"]
        return len(written) == len(read) == 1 and read[0] >= written[0] > 0

    def can_change(self) -> bool:
        """Whether the Sentinel knows that, too; it asks only every ten seconds."""
        told = answer(self.sentinel.port, "SENTINEL", "replicas", SERVICE)
        return self.in_step() and "master-link-status\r\n$2\r\nok" in told and "s_down" not in told

    def fail_over(self) -> None:
        """Let the replica take the primary's place, both being well."""
        told = answer(self.sentinel.port, "SENTINEL", "failover", SERVICE)
        if not told.startswith("+OK"):
            raise RuntimeError(f"Sentinel does not change servers: {told}")

    def __enter__(self) -> Self:
        with ExitStack() as life:
            quick = ("--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1")
            first = life.enter_context(Redis(self._folder / "first", *quick))
            replica = ("--replicaof", f"127.0.0.1 {first.port}")
            second = life.enter_context(Redis(self._folder / "second", *quick, *replica))
            self.sentinel = life.enter_context(Sentinel(self._folder / "sentinel", first.port))
            self.servers = [first, second]
            self._life = life.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._life.close()


def answer(port: int, *words: str) -> str:
    """The answer of a server on this machine to a command, as it is on the wire; nothing if there is none."""
    command = "".join([f"*{len(words)}\r\n", *(f"${len(word)}\r\n{word}\r\n" for word in words)])
    try:
        with socket.create_connection(("127.0.0.1", port), 5) as line:
            line.settimeout(5)
            line.sendall(command.encode())
            return line.recv(65536).decode()
    except ConnectionError:
        # It is down, or a Sentinel made it hang up on all its clients.
        return ""
