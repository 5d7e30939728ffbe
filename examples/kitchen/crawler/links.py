"""Addresses of pages, written in one way, so that a page is known again."""

import re
from contextlib import suppress
from ipaddress import IPv6Address

import httpx2

from examples.kitchen.crawler.addresses import literal_address

PORTS = {"http": 80, "https": 443}
#: Browsers and servers take about as much.
LONGEST = 2000
_NAME = re.compile(rb"[a-z0-9_.-]+")


class NotWeb(ValueError):
    """An address that no page can be read from."""


def parse(text: str, page: httpx2.URL | None = None) -> httpx2.URL:
    """An address as it is written on a page; raises NotWeb."""
    try:
        url = httpx2.URL(text.strip()) if page is None else page.join(text.strip())
    except (httpx2.InvalidURL, ValueError) as error:
        raise NotWeb(f"{text[:LONGEST]!r} is not an address: {error}") from error
    if url.scheme not in PORTS or not _is_host(url):
        raise NotWeb(f"{text[:LONGEST]!r} is not an address that begins with http:// or https:// and a host.")
    if len(str(url)) > LONGEST:
        raise NotWeb(f"{text[:60]!r}... is longer than {LONGEST} characters.")
    return _normal(url)


def _normal(url: httpx2.URL) -> httpx2.URL:
    """Without what makes no other page: fragment, user and password, the scheme's own port, an empty query."""
    parts: dict[str, object] = {"fragment": None, "userinfo": b"", "host": _host(url)}
    if url.port == PORTS[url.scheme]:
        parts["port"] = None
    if not url.query:
        parts["query"] = None
    if url.path in ("", "/"):
        parts["path"] = "/"
    return url.copy_with(**parts)


def _is_host(url: httpx2.URL) -> bool:
    return _NAME.fullmatch(url.raw_host) is not None or literal_address(url.host) is not None


def _host(url: httpx2.URL) -> str:
    """The name without the dot that may end it; an address as it is usually written, however it was spelt."""
    address = literal_address(url.host)
    if address is None:
        return url.raw_host.decode("ascii").rstrip(".")
    return f"[{address}]" if isinstance(address, IPv6Address) else str(address)


def origin(url: httpx2.URL) -> str:
    """Scheme, host and port: what one robots.txt speaks for."""
    return str(url.copy_with(path="/", query=None)).rstrip("/")


class Site:
    """The pages that belong together with a first one: those of its host and port, with or without `www.`."""

    def __init__(self, first: httpx2.URL) -> None:
        self._home = _home(first)

    def includes(self, url: httpx2.URL) -> bool:
        """Whether a page belongs to it."""
        return _home(url) == self._home


def _home(url: httpx2.URL) -> tuple[str, int | None]:
    # The default ports of http and https are one home: most sites send visitors from the first to the second.
    return url.host.removeprefix("www."), url.port


def shown(text: str, page: httpx2.URL) -> str:
    """An address that is no page's, as it may be told: in full if it can be read, and never long."""
    with suppress(httpx2.InvalidURL, ValueError):
        text = str(page.join(text.strip()))
    return text[:LONGEST]
