"""Connections that are made to judged addresses only."""

import ssl
from functools import cache

import httpx2

from examples.kitchen.crawler.addresses import Addresses

#: Seconds after which the next address of a host is tried.
CONNECT_SECONDS = 3.0


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Looks up and judges the host of each request, and sends it to the address that was judged."""

    def __init__(self, addresses: Addresses) -> None:
        self._addresses = addresses
        #: One for each host: hosts that share an address must not share a connection made secure for one of them.
        self._hosts: dict[str, httpx2.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Raises AddressRefused, OSError for a host that is not known, or httpx2.TransportError."""
        host = request.url.host
        *others, last = await self._addresses.of(host)
        for address in others:
            try:
                return await self._send(host, address, request)
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                continue
        return await self._send(host, last, request)

    async def aclose(self) -> None:
        """Close every connection."""
        for transport in self._hosts.values():
            await transport.aclose()

    async def _send(self, host: str, address: str, request: httpx2.Request) -> httpx2.Response:
        if host not in self._hosts:
            self._hosts[host] = httpx2.AsyncHTTPTransport(verify=_trusted(), trust_env=False)
        return await self._hosts[host].handle_async_request(_sent_to(address, request))


def _sent_to(address: str, request: httpx2.Request) -> httpx2.Request:
    """The same request to an address; its Host header, and the name its certificate must bear, stay the host's."""
    return httpx2.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": request.url.raw_host.decode("ascii")},
    )


@cache
def _trusted() -> ssl.SSLContext:
    """Reading the authorities' certificates takes long; one reading is enough for all."""
    return httpx2.create_ssl_context()
