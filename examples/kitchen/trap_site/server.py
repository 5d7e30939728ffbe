"""Serve the site on this machine."""

import gzip
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import parse_qs, urlsplit

from examples.kitchen.crawler.limits import Limits
from examples.kitchen.trap_site.expected import Expected, expected
from examples.kitchen.trap_site.pages import LANDING, METADATA, ROBOTS, calendar, good_pages, html

#: Bytes of the huge page, and of the small one that unpacks to as much.
HUGE = 20_000_000
BOMB = gzip.compress(bytes(HUGE), compresslevel=1)
BLOCK = b"<p>And more, and more, and more.</p>\n" * 1000
#: Seconds between the bytes of a page that drips.
DRIP = 0.1


class TrapSite:
    """`with TrapSite() as site:` serves it at `site.url`."""

    def __init__(self, port: int = 0) -> None:
        self._server = _Server(("127.0.0.1", port), _Visitor)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="trap site")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.closing.set()
        self._server.shutdown()
        self._thread.join()
        # Waits for the visitors who are still here.
        self._server.server_close()

    @property
    def url(self) -> str:
        """Where it is, without a slash at the end."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def requested(self) -> Counter[str]:
        """How often each path was asked for, with its query."""
        with self._server.lock:
            return self._server.requested.copy()

    def expected(self, depth: int, limits: Limits) -> Expected:
        """What a crawl from its home page must find."""
        return expected(self.url, depth, limits)


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self.pages = {path: page.replace("{port}", str(self.server_port)) for path, page in good_pages().items()}
        self.closing = threading.Event()
        self.lock = threading.Lock()
        self.requested: Counter[str] = Counter()


class _Visitor(BaseHTTPRequestHandler):
    """One visitor, who may leave at any time."""

    server: _Server

    def do_GET(self) -> None:
        with self.server.lock:
            self.server.requested[self.path] += 1
        path = urlsplit(self.path).path
        # Crawlers hang up on what is too much for them.
        with suppress(ConnectionError):
            if (page := self.server.pages.get(path)) is not None:
                self._page(page)
            elif (trap := self._trap(path)) is not None:
                trap()
            else:
                self._status(404)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def _trap(self, path: str) -> Callable[[], None] | None:
        first, *rest = path.strip("/").split("/")
        traps: dict[str, Callable[[], None]] = {
            "robots.txt": lambda: self._send(ROBOTS.encode(), "text/plain"),
            "cellar": lambda: self._page(html("The cellar", ["/cellar/wine"])),
            "huge": self._huge,
            "bomb": lambda: self._send(BOMB, "text/html", "gzip"),
            "packed": lambda: self._send(b"???", "text/html", "br"),
            "slow": lambda: self._drip(b""),
            "drip": lambda: self._drip(b" "),
            "hang-up": lambda: None,
            "broken": lambda: self._status(500),
            "round": lambda: self._redirect("/round/b" if rest == ["a"] else "/round/a"),
            "ever": lambda: self._redirect(f"/ever/{int(rest[0]) + 1}"),
            "moved": lambda: self._redirect("/about"),
            "to-metadata": lambda: self._redirect(METADATA),
            "to-elsewhere": lambda: self._redirect(LANDING),
            "calendar": lambda: self._page(calendar(int(parse_qs(urlsplit(self.path).query)["month"][0]))),
            "deeper": lambda: self._page(html("Deeper", ["deeper/"])),
            "menu.pdf": lambda: self._send(b"%PDF-1.7 ...", "application/pdf"),
        }
        return traps.get(first)

    def _page(self, text: str) -> None:
        self._send(text.encode(), "text/html; charset=utf-8")

    def _send(self, body: bytes, content_type: str, encoding: str = "identity") -> None:
        self._status(200, {"Content-Type": content_type, "Content-Encoding": encoding})
        self.wfile.write(body)

    def _redirect(self, target: str) -> None:
        self._status(302, {"Location": target})

    def _status(self, status: int, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()

    def _huge(self) -> None:
        self._page(html("Huge", []))
        sent = 0
        while sent < HUGE and not self.server.closing.is_set():
            self.wfile.write(BLOCK)
            sent += len(BLOCK)

    def _drip(self, drop: bytes) -> None:
        """Answer a little at a time, or nothing at all, for as long as anyone waits."""
        if drop:
            self._page("<title>Drip</title>")
        while not self.server.closing.wait(DRIP):
            self.wfile.write(drop)
