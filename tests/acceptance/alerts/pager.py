"""Where alerts are posted to: a web server on this loop that remembers them, and may be out of order."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from goatherd import Goatherd

#: Seconds that an alert may take on a busy machine before the test fails.
PATIENCE = 60.0


class Pager:
    """Used with `paging`."""

    def __init__(self) -> None:
        self.alerts: list[dict[str, Any]] = []
        self.requests: list[str] = []
        self.status = 204
        self.answer = ""
        self.knocks = 0
        self.url = ""
        #: Cleared while whoever tells something gets no answer.
        self.answers = asyncio.Event()
        self.answers.set()
        self._more = asyncio.Event()

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take one alert."""
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
        except asyncio.IncompleteReadError:
            # Somebody only looked whether anybody is here, or speaks another language.
            writer.close()
            self.knocks += 1
            self._more.set()
            return
        [length] = [int(line.split(":")[1]) for line in head.splitlines() if line.lower().startswith("content-length")]
        body = json.loads(await reader.readexactly(length))
        self.requests.append(head)
        self._more.set()
        await self.answers.wait()
        if reader.at_eof():
            # Whoever it was has not waited for the answer, and will tell it again.
            writer.close()
            return
        head_of_answer = f"HTTP/1.1 {self.status} Told\r\nContent-Length: {len(self.answer)}\r\nConnection: close"
        writer.write(f"{head_of_answer}\r\n\r\n{self.answer}".encode())
        await writer.drain()
        writer.close()
        if self.status < 300:
            self.alerts.append(body)
        self._more.set()

    async def knocked(self) -> None:
        """Return when somebody came and told nothing."""
        async with asyncio.timeout(PATIENCE):
            while not self.knocks:
                self._more.clear()
                await self._more.wait()

    async def tried(self, times: int) -> None:
        """Return when somebody has tried so often to tell."""
        async with asyncio.timeout(PATIENCE):
            while len(self.requests) < times:
                self._more.clear()
                await self._more.wait()

    async def told(self, kind: str, state: str = "firing") -> dict[str, Any]:
        """The first alert of that kind and state, once there is one."""
        try:
            async with asyncio.timeout(PATIENCE):
                while True:
                    found = [each for each in self.alerts if (each["kind"], each["state"]) == (kind, state)]
                    if found:
                        return found[0]
                    self._more.clear()
                    await self._more.wait()
        except TimeoutError:
            raise AssertionError(f"waited for {kind} {state}, but was told only of {self.alerts}") from None


@asynccontextmanager
async def paging() -> AsyncIterator[Pager]:
    """A pager that is switched on until the block ends."""
    pager = Pager()
    server = await asyncio.start_server(pager.take, "127.0.0.1", 0)
    async with server:
        pager.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hooks/very-secret?room=7"
        yield pager


def watched(folder: Path, pager: Pager, **settings: Any) -> Goatherd:
    """An app whose schedulers look ten times a second and tell at once."""
    quick = {"metrics_every": 0.1, "alert_after": 0.0, "alert_lag": 0.0, "retry": 0}
    told = {"broker_url": f"sqlite:///{folder}/jobs.db", "alert_webhook": pager.url}
    return Goatherd("shop", **{**quick, **told, **settings})
