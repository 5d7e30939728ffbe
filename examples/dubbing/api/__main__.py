"""Run dubbing-api: python -m examples.dubbing.api"""

import logging
import socket
import sys

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


def main() -> int:
    """Serve until told to stop; the exit code."""
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    try:
        from examples.dubbing.api.web import web
        from examples.dubbing.herd import settings
    except GoatherdError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    # Whoever watches a task would keep it from ending.
    config = uvicorn.Config(
        web, host=settings.host, port=settings.port, log_level="warning", timeout_graceful_shutdown=2
    )
    server = Server(config)
    server.run([config.bind_socket()])
    return 0 if server.started else 1


if __name__ == "__main__":
    sys.exit(main())
