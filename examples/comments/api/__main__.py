"""Run comments-api: python -m examples.comments.api"""

import socket
import sys

import uvicorn
from fastapi import FastAPI

from examples.running.web import Server, serve


class BoardServer(Server):
    """Does not wait for pages that watch when it ends."""

    def __init__(self, config: uvicorn.Config, web: FastAPI) -> None:
        super().__init__(config)
        self._web = web

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, which would go on for ever, then everything else."""
        await self._web.state.live.end()
        await super().shutdown(sockets)


def load() -> tuple[FastAPI, str, int]:
    """Here, so that wrong settings are told in one sentence."""
    from examples.comments.api.web import web
    from examples.comments.herd import settings

    return web, settings.host, settings.port


if __name__ == "__main__":
    sys.exit(serve(load, BoardServer))
