"""Run comments-api: python -m examples.comments.api"""

import logging
import socket
import sys

import uvicorn
from fastapi import FastAPI

from goatherd.errors import GoatherdError


class Server(uvicorn.Server):
    """Says where it serves, also where it took a free port, and does not wait for pages that watch when it ends."""

    def __init__(self, config: uvicorn.Config, web: FastAPI) -> None:
        super().__init__(config)
        self._web = web

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open everything, and say so."""
        await super().startup(sockets)
        if self.started and sockets:
            host, port = sockets[0].getsockname()[:2]
            print(f"Serving on http://{host}:{port}", flush=True)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, which would go on for ever, then everything else."""
        await self._web.state.live.end()
        await super().shutdown(sockets)


def main() -> int:
    """Serve until told to stop; the exit code."""
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    try:
        from examples.comments.api.web import web
        from examples.comments.herd import settings
    except GoatherdError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    config = uvicorn.Config(
        web, host=settings.host, port=settings.port, log_level="warning", timeout_graceful_shutdown=5
    )
    server = Server(config, web)
    server.run([config.bind_socket()])
    return 0 if server.started else 1


if __name__ == "__main__":
    sys.exit(main())
