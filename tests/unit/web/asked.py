"""Ask a page in a thread of its own, as a probe does."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from goatherd.web.health_server import Answerer, HealthServer, listen

#: Seconds after which a test gives up.
PATIENCE = 30.0


@contextmanager
def served(answer: Answerer) -> Iterator[int]:
    """The port at which it is served."""
    listening = listen("127.0.0.1", 0)
    port: int = listening.getsockname()[1]
    server = HealthServer(listening, answer)
    server.start()
    try:
        yield port
    finally:
        server.stop()


def said(port: int, request: bytes) -> str:
    """All that is answered to some bytes."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall(request)
        pieces = []
        while piece := connection.recv(65536):
            pieces.append(piece)
    return b"".join(pieces).decode()


def get(port: int, path: str, method: str = "GET") -> tuple[int, str]:
    """The status and the body."""
    head, _, body = said(port, f"{method} {path} HTTP/1.1\r\nHost: here\r\n\r\n".encode()).partition("\r\n\r\n")
    return int(head.split()[1]), body


async def get_from_a_thread(port: int, path: str) -> tuple[int, str]:
    """The same while the loop goes on."""
    return await asyncio.to_thread(get, port, path)
