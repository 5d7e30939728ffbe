"""A request as far as those need to know it who decide about access."""

from ipaddress import IPv4Network, IPv6Network, ip_address
from urllib.parse import quote

from goatherd.web.asgi import Request, Scope

Network = IPv4Network | IPv6Network


class Asked(Request):
    """A request, and the way that it took."""

    __slots__ = ("address", "came_by_proxy", "root", "scheme")

    def __init__(self, scope: Scope, proxies: tuple[Network, ...] = ()) -> None:
        super().__init__(scope)
        #: Where we are mounted, as it stands in addresses.
        self.root: str = quote(str(scope.get("root_path", "")).rstrip("/"))
        peer = str((scope.get("client") or ("",))[0])
        #: Whether a proxy that we believe brought it.
        self.came_by_proxy = is_among(peer, proxies)
        told = self.header(b"x-forwarded-proto") if self.came_by_proxy else ""
        self.scheme: str = told.partition(",")[0].strip().lower() or str(scope.get("scheme", "http"))
        self.address = self._origin_of(peer, proxies)

    def _origin_of(self, peer: str, proxies: tuple[Network, ...]) -> str:
        """Who sent it: the last in the chain whom no proxy of ours was."""
        if not self.came_by_proxy:
            return peer
        for address in reversed(self.headers_of(b"x-forwarded-for")):
            for one in reversed(address.split(",")):
                if one.strip() and not is_among(one.strip(), proxies):
                    return one.strip()[:64]
        return peer

    def headers_of(self, name: bytes) -> list[str]:
        """All headers of that name, in small letters."""
        return [value.decode("latin-1") for key, value in self._headers if key == name]

    @property
    def host(self) -> str:
        """The site that was asked for, with its port if that is told; as browsers see it."""
        told = self.header(b"x-forwarded-host") if self.came_by_proxy else ""
        return (told.partition(",")[0].strip() or self.header(b"host")).lower()

    @property
    def has_nul(self) -> bool:
        """Whether it speaks of what no store can know: a name with the character NUL."""
        return "\0" in self.path or any("\0" in each for pair in self.query.items() for each in pair)

    @property
    def is_htmx(self) -> bool:
        """Whether a script of our pages asks for a part of one."""
        return self.header(b"hx-request") == "true"

    @property
    def wants_page(self) -> bool:
        """Whether a person looks at what is answered."""
        is_page = not self.path.startswith("/api/") or self.path == "/api/docs"
        return is_page and "text/html" in self.header(b"accept")


def is_among(address: str, networks: tuple[Network, ...]) -> bool:
    """Whether an address is in one of these."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)
    return any((mapped or found) in network for network in networks if network.version == (mapped or found).version)
