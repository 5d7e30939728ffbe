"""Serve a web application as a program of its own."""

import logging
import socket
import sys
from collections.abc import Callable
from typing import Any

import uvicorn

from goatherd.errors import GoatherdError


class Server(uvicorn.Server):
    """Says where it serves, also where it took a free port."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open everything, and say so."""
        await super().startup(sockets)
        if self.started and sockets:
            host, port = sockets[0].getsockname()[:2]
            print(f"Serving on http://{host}:{port}", flush=True)


def serve(
    load: Callable[[], tuple[Any, str, int]],
    make: Callable[[uvicorn.Config, Any], uvicorn.Server] = lambda config, _web: Server(config),
    *,
    farewell: int = 5,
) -> int:
    """Serve until told to stop; the exit code.

    `load` imports the application and says where it is to be served; streams get `farewell` seconds to end.
    """
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    try:
        web, host, port = load()
    except GoatherdError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    config = uvicorn.Config(web, host=host, port=port, log_level="warning", timeout_graceful_shutdown=farewell)
    server = make(config, web)
    server.run([config.bind_socket()])
    return 0 if server.started else 1
