"""A web server whose every answer the case decides."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from examples.kitchen.crawler.addresses import Addresses, Resolve
from examples.kitchen.crawler.crawl import Crawler
from examples.kitchen.crawler.frontier import Rights
from examples.kitchen.crawler.limits import Limits
from examples.kitchen.crawler.robots import Robots

AGENT = "KitchenCrawler/1.0"
NAME = "kitchen.test"


@dataclass(frozen=True)
class Request:
    path: str
    headers: Mapping[str, str]
    #: When it came, on the loop's clock.
    at: float


Answer: TypeAlias = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]


def reply(body: str | bytes = "", *, status: int = 200, **headers: str) -> bytes:
    """A whole answer; `content_type` and the like become headers."""
    content = body.encode() if isinstance(body, str) else body
    named = {"content_type": "text/html", "content_length": str(len(content)), **headers}
    lines = [f"HTTP/1.1 {status} Said", *(f"{name.replace('_', '-')}: {value}" for name, value in named.items())]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode() + content


def links(*targets: str, title: str = "") -> bytes:
    """A page with links."""
    return reply(f"<title>{title}</title>" + "".join(f'<a href="{target}">.</a>' for target in targets))


@dataclass
class Server:
    """Answers what it has, and 404 to the rest."""

    answers: dict[str, Answer]
    port: int = 0
    requests: list[Request] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def paths(self) -> list[str]:
        """What was asked for, in order, beside robots.txt."""
        return [request.path for request in self.requests if request.path != "/robots.txt"]

    async def visited(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            start, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = {line.partition(":")[0].lower(): line.partition(":")[2].strip() for line in lines if line}
            request = Request(start.split(" ")[1], headers, asyncio.get_running_loop().time())
            self.requests.append(request)
            answer = self.answers.get(request.path, reply(status=404))
            if isinstance(answer, bytes):
                writer.write(answer)
                await writer.drain()
            else:
                await answer(writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the visitor left
        finally:
            writer.close()


@asynccontextmanager
async def serving(answers: dict[str, Answer], tls: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    """Serve on a port of this machine; those still being served at the end are sent away."""
    site = Server(answers)
    visits: set[asyncio.Task[None]] = set()

    async def visited(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        visits.add(task)
        try:
            await site.visited(reader, writer)
        except asyncio.CancelledError:
            pass  # sent away; asyncio would report the cancellation as an error
        finally:
            visits.discard(task)

    server = await asyncio.start_server(visited, "127.0.0.1", 0, ssl=tls)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()
        await server.wait_closed()
        for visit in visits:
            visit.cancel()
        await asyncio.gather(*visits)


def standing_for(*addresses: str, name: str = NAME) -> Resolve:
    """A look-up that knows one name."""

    async def resolve(host: str) -> list[str]:
        if host != name:
            raise OSError(f"{host} is not known")
        return list(addresses)

    return resolve


def crawler(
    limits: Limits | None = None, *, addresses: Addresses | None = None, robots: Robots | None = None
) -> Crawler:
    """A crawler that may visit this machine, unless the case says otherwise."""
    rights = Rights(addresses=addresses or Addresses(allow_private=True), robots=robots or Robots(AGENT))
    return Crawler(limits or Limits(), rights, AGENT)
