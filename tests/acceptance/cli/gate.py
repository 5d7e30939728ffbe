"""Where a job reports to the story, so that the story waits for events and never sleeps."""

import socket
from types import TracebackType
from typing import Self

#: Seconds after which a story gives up.
PATIENCE = 20.0


class Visitor:
    """A running job: who it is, and the line on which it waits."""

    def __init__(self, line: socket.socket) -> None:
        line.settimeout(PATIENCE)
        self._line = line
        self._stream = line.makefile("rb")
        name, pid, attempt, self.password = self._stream.readline().decode().rstrip("\n").split("|")
        self.name, self.pid, self.attempt = name, int(pid), int(attempt)

    def let_go(self) -> None:
        """Let the job end."""
        self._line.sendall(b".")

    def last_words(self) -> str:
        """What the job said before its line broke: "done", or nothing if it was stopped or its process died."""
        try:
            return self._stream.read().decode().strip()
        except ConnectionResetError:
            return ""

    def close(self) -> None:
        self._stream.close()
        self._line.close()


class Gate:
    """The place where jobs arrive."""

    def __enter__(self) -> Self:
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.settimeout(PATIENCE)
        self._visitors: list[Visitor] = []
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for visitor in self._visitors:
            visitor.close()
        self._server.close()

    @property
    def port(self) -> int:
        """For the job's arguments."""
        port: int = self._server.getsockname()[1]
        return port

    def next(self) -> Visitor:
        """The next job that starts."""
        line, _ = self._server.accept()
        self._visitors.append(Visitor(line))
        return self._visitors[-1]
