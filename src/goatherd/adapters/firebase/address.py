"""Where the database is and who we are: everything that a `firebase+https://` URL says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from goatherd.errors import SettingsError

_KNOWN = ("auth", "ns")
#: What no key of the database has.
_FORBIDDEN = frozenset(".$#[]")


@dataclass(frozen=True, kw_only=True)
class Address:
    """One place in one database; its children are commands."""

    #: `https://host:port`
    origin: str
    #: The parts of the path.
    path: tuple[str, ...]
    #: Which database, where the server has several, as emulators do.
    namespace: str | None = None
    #: A database secret or an ID token.
    auth: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        told = f"{self.origin}/{'/'.join(self.path)}"
        return f"{told}?ns={self.namespace}" if self.namespace else told

    @property
    def is_local(self) -> bool:
        """Whether the server is on this machine."""
        return _is_local(urlsplit(self.origin).hostname or "")

    def url(self, *below: str, **query: str) -> str:
        """Of the place itself, or of something below it; without what says who we are."""
        path = "/".join(quote(part, safe="") for part in (*self.path, *below))
        asked: Mapping[str, str] = {**query, **({"ns": self.namespace} if self.namespace else {})}
        return f"{self.origin}/{path}.json{'?' if asked else ''}{urlencode(asked)}"


def read_address(url: str) -> Address:
    """`firebase+https://database.firebaseio.com/commands/prod?auth=…`; raises SettingsError with every mistake."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise SettingsError(["the address of an inbox on Firebase cannot be read: host or port is wrong"]) from None
    problems: list[str] = []
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    problems += [f"an inbox on Firebase has ?{name}=, which is not known" for name in query if name not in _KNOWN]
    path = tuple(unquote(part) for part in parts.path.split("/") if part)
    if not host:
        problems.append("an inbox on Firebase names no database; write firebase+https://<database>/<path>")
    if not path:
        problems.append("an inbox on Firebase names no path, and the whole database cannot be commands")
    if any(_FORBIDDEN & set(part) for part in path):
        problems.append("an inbox on Firebase has a path with one of . $ # [ ], which no key there has")
    if parts.username or parts.password:
        problems.append("an inbox on Firebase has a user in its URL; give a token as ?auth=…, or leave it out")
    scheme = parts.scheme.lower().removeprefix("firebase+")
    if scheme == "http" and not _is_local(host or "") and "ns" not in query:
        problems.append("an inbox on Firebase has http://, which is for emulators: on this machine, or with ?ns=…")
    if problems:
        raise SettingsError(problems)
    shown = f"[{host}]" if ":" in (host or "") else host
    return Address(
        origin=f"{scheme}://{shown}{f':{port}' if port else ''}",
        path=path,
        namespace=query.get("ns") or None,
        auth=query.get("auth") or None,
    )


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
