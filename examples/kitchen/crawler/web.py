"""Read from the web, never more than asked for."""

import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx2

from examples.kitchen.crawler.addresses import Addresses
from examples.kitchen.crawler.transport import CONNECT_SECONDS, GuardedTransport


class WrongEncoding(Exception):
    """The server compressed its answer in a way that we did not offer, or not as it says."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a server said."""

    url: httpx2.URL
    status: int
    #: Without parameters, in lower case; empty if it was not said.
    content_type: str
    charset: str | None
    #: Where a redirect leads to, as it was written.
    location: str | None
    body: bytes
    #: Whether the body went on.
    cut: bool


class Web:
    """A way to the web through which only judged addresses are reached."""

    def __init__(self, client: httpx2.AsyncClient) -> None:
        self._client = client

    async def get(self, url: httpx2.URL, most_bytes: int, wanted: Callable[[str], bool]) -> Answer:
        """One answer, redirects included; the body only if its content type is wanted and no error is told.

        Raises AddressRefused, OSError, httpx2.HTTPError or WrongEncoding. The caller limits the time.
        """
        async with self._client.stream("GET", url) as response:
            content_type = response.headers.get("content-type", "").split(";")[0].strip().lower()
            body, cut = b"", False
            if response.is_success and wanted(content_type):
                body, cut = await _read(response, most_bytes)
            return Answer(
                url=url,
                status=response.status_code,
                content_type=content_type,
                charset=response.charset_encoding,
                location=response.headers.get("location") if response.is_redirect else None,
                body=body,
                cut=cut,
            )


@asynccontextmanager
async def open_web(addresses: Addresses, user_agent: str) -> AsyncIterator[Web]:
    """A way to the web for one crawl."""
    async with httpx2.AsyncClient(
        transport=GuardedTransport(addresses),
        headers={"User-Agent": user_agent, "Accept-Encoding": "gzip, deflate"},
        timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
        # A proxy would look up names itself, where nobody judges what it finds.
        trust_env=False,
    ) as client:
        yield Web(client)


async def _read(response: httpx2.Response, most_bytes: int) -> tuple[bytes, bool]:
    """The beginning of the body, and whether it went on."""
    unpack = _unpacking(response.headers.get("content-encoding", "identity").strip().lower())
    body = bytearray()
    async for chunk in response.aiter_raw():
        # One byte more than wanted tells that there was more.
        body += unpack(chunk, most_bytes + 1 - len(body))
        if len(body) > most_bytes or response.num_bytes_downloaded > most_bytes:
            return bytes(body[:most_bytes]), True
    return bytes(body), False


def _unpacking(encoding: str) -> Callable[[bytes, int], bytes]:
    """Unpack chunk by chunk, each to so many bytes at most: a few packed kilobytes can hold gigabytes."""
    if encoding in ("", "identity"):
        return lambda chunk, most: chunk[:most]
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise WrongEncoding(f"The answer is compressed as {encoding!r}, which was not offered.")
    # Both layouts are recognised by their first bytes.
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)

    def unpack(chunk: bytes, most: int) -> bytes:
        try:
            return unpacker.decompress(chunk, most)
        except zlib.error as error:
            raise WrongEncoding(f"The answer is not compressed as it says: {error}.") from error

    return unpack
