"""A client that speaks to the gateway without a server between them, so that the test is the server."""

import asyncio
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any
from urllib.parse import urlencode

from goatherd.web.asgi import ASGIApp
from tests.unit.web.reader import Reader

PATIENCE = 20.0


class Visitor:
    """One request."""

    def __init__(
        self,
        app: ASGIApp,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        method: str = "GET",
        root_path: str = "",
    ) -> None:
        self.reader = Reader()
        self.body = b""
        self.pieces: list[int] = []
        self.status = 0
        self.headers: dict[str, str] = {}
        self.complete = False
        #: While it is clear, nothing is taken from the gateway.
        self.reads = asyncio.Event()
        self.reads.set()
        self._changed = asyncio.Event()
        self._left = asyncio.Event()
        self._asked = False
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "root_path": root_path,
            "query_string": urlencode(query or {}).encode(),
            "headers": [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()],
        }
        self.task = asyncio.ensure_future(self._visit(app, scope))

    async def _visit(self, app: ASGIApp, scope: MutableMapping[str, Any]) -> None:
        try:
            await app(scope, self._receive, self._send)
        finally:
            self._changed.set()

    async def _receive(self) -> MutableMapping[str, Any]:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: MutableMapping[str, Any]) -> None:
        await self.reads.wait()
        if self._left.is_set():
            # As uvicorn does.
            return
        if message["type"] == "http.response.start":
            assert self.status == 0
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            assert not self.complete
            self.body += message.get("body", b"")
            self.pieces.append(len(message.get("body", b"")))
            if self.headers.get("content-type", "").startswith("text/event-stream"):
                self.reader.feed(message.get("body", b""))
            self.complete = not message.get("more_body", False)
        self._changed.set()

    async def until(self, holds: Callable[["Visitor"], object]) -> "Visitor":
        """Wait until something is so; fails if the response ended before."""
        async with asyncio.timeout(PATIENCE):
            while not holds(self):
                if self.task.done():
                    await self.task
                    assert holds(self), f"the response ended: {self.status} {self.body[-500:]!r}"
                    break
                self._changed.clear()
                await self._changed.wait()
        return self

    async def told(self, event: str) -> "Visitor":
        """Wait for an event."""
        return await self.until(lambda visitor: event in visitor.reader.events)

    async def answered(self) -> "Visitor":
        """Wait for the status."""
        return await self.until(lambda visitor: visitor.status)

    async def over(self) -> "Visitor":
        """Wait for the end of the response."""
        async with asyncio.timeout(PATIENCE):
            await self.task
        return self

    async def leave(self) -> None:
        """Hang up; the gateway notices it when it looks."""
        self._left.set()
        self.reads.set()
        await self.over()
