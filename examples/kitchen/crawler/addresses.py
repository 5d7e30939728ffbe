"""Which hosts may be visited.

A link can name any host, and a public name can stand for a private address. So a name is looked up first, every
address that it stands for is judged, and the connection is made to an address that was judged: there is no second
look-up that could answer otherwise.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network
#: Looks up a host; raises OSError if there is none of that name.
Resolve: TypeAlias = Callable[[str], Awaitable[list[str]]]


def _networks(*texts: str) -> tuple[Network, ...]:
    return tuple(ip_network(text) for text in texts)


# Written out, because what Python's `is_global` says of some of these differs between its versions.
#: One's own machine and one's own networks: visited only if that is allowed.
PRIVATE = _networks("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7")
#: Cloud providers answer here with the machine's credentials. The first is public by its number.
METADATA = _networks("168.63.129.16/32", "169.254.0.0/16", "192.0.0.192/32", "100.100.100.200/32", "fd00:ec2::/32")
#: Not the internet: this network, carriers' networks, tests, documentation, groups of hosts, the future.
SPECIAL = _networks(
    *("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15"),
    *("198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"),
    *("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
)
#: All of IPv6 that is in public use.
PUBLIC_IPV6 = ip_network("2000::/3")
#: An IPv4 address in the dress of IPv6.
TRANSLATED = _networks("::ffff:0:0/96", "64:ff9b::/96")


class AddressRefused(Exception):
    """The host stands for an address that must not be visited."""

    def __init__(self, host: str, address: str) -> None:
        super().__init__(f"{host} is {address}, which is not an address of the public internet.")
        self.host = host
        self.address = address


async def look_up(host: str) -> list[str]:
    """Every address of a host, as the operating system knows them."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except UnicodeError as error:
        raise OSError(f"{host!r} cannot be the name of a host: {error}") from error
    return list(dict.fromkeys(str(place[0]) for *_, place in found))


class Addresses:
    """Judges hosts."""

    def __init__(self, *, allow_private: bool = False, resolve: Resolve = look_up) -> None:
        self._allow_private = allow_private
        self._resolve = resolve

    async def of(self, host: str) -> list[str]:
        """The addresses to connect to; raises AddressRefused, or OSError if the host is not known."""
        literal = literal_address(host)
        addresses = [str(literal)] if literal is not None else await self._resolve(host)
        for address in addresses:
            # One bad address among good ones is enough: names that stand for both are made to slip through.
            if self.refuses(ip_address(address)):
                raise AddressRefused(host, address)
        return addresses

    def refuses_literal(self, host: str) -> bool:
        """Whether the host is itself an address that must not be visited; a name is not looked up."""
        address = literal_address(host)
        return address is not None and self.refuses(address)

    def refuses(self, address: Address) -> bool:
        """Whether an address must not be visited."""
        plain = _without_dress(address)
        if _is_in(plain, METADATA):
            return True
        if _is_in(plain, PRIVATE):
            return not self._allow_private
        return _is_in(plain, SPECIAL) or (plain.version == 6 and plain not in PUBLIC_IPV6)


def literal_address(host: str) -> Address | None:
    """The address that a host spells out, also as the operating system reads it: 127.1, 0x7f000001, 2130706433."""
    try:
        return ip_address(host)
    except ValueError:
        pass
    try:
        return IPv4Address(socket.inet_aton(host))
    except (OSError, ValueError):
        return None


def _without_dress(address: Address) -> Address:
    if _is_in(address, TRANSLATED):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def _is_in(address: Address, networks: tuple[Network, ...]) -> bool:
    return any(address in network for network in networks)
