"""Where the server is and who we are: everything that a `redis://`, `rediss://` or `redis+sentinel://` URL says."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from goatherd.errors import SettingsError

_SECURE = ("cafile", "certfile", "keyfile", "verify")
_GUARDED = ("sentinel_user", "sentinel_password")
_KNOWN = frozenset(("connection_timeout", *_SECURE, *_GUARDED))
_PORT, _SENTINEL_PORT = 6379, 26379
_UNREADABLE = "the {which} URL cannot be used: {what}; write @, : and / in a password as %40, %3A and %2F"
#: Seconds that nothing here may take.
_TOO_LONG = 3600


@dataclass(frozen=True, kw_only=True)
class Watchmen:
    """The Sentinels that know which server is the primary one now."""

    #: Host and port of each.
    places: tuple[tuple[str, int], ...]
    #: What the servers are called there.
    service: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True)
class Address:
    """One server, or those of which Sentinels know one."""

    host: str
    port: int
    database: int = 0
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    #: Seconds within which a connection must be made.
    connection_timeout: float = 5.0
    #: How the driver is told to use TLS, also for Sentinels; None for none.
    tls: Mapping[str, Any] | None = None
    #: Who is asked for host and port before each connection; None if these are as they stand here.
    watchmen: Watchmen | None = None
    #: The setting that it is from: `events`, `live` or `lanes`; or `inbox`.
    which: str = "events"

    def __str__(self) -> str:
        scheme = "redis" if self.tls is None else "rediss"
        if self.watchmen is None:
            return f"{scheme}://{self.host}:{self.port}/{self.database}"
        places = ",".join(f"{host}:{port}" for host, port in self.watchmen.places)
        return f"{scheme}+sentinel://{places}/{self.watchmen.service}/{self.database}"

    @property
    def variable(self) -> str:
        """The name of the setting in the environment."""
        return "the address of the inbox" if self.which == "inbox" else f"GOATHERD_{self.which.upper()}_URL"

    def is_same_server(self, other: "Address") -> bool:
        """Whether a call on the one is heard on the other."""
        if self.watchmen is not None and other.watchmen is not None:
            return (set(self.watchmen.places), self.watchmen.service) == (
                set(other.watchmen.places),
                other.watchmen.service,
            )
        return (self.watchmen, self.host, self.port) == (other.watchmen, other.host, other.port)


def read_address(url: str, which: str = "events") -> Address:
    """`redis://user:password@host:6379/0?connection_timeout=5`, or
    `redis+sentinel://user:password@host:26379,host:26379/name/0?sentinel_password=…`; raises SettingsError with every
    mistake.
    """
    problems: list[str] = []
    try:
        parts = urlsplit(url)
    except ValueError:
        raise SettingsError([_UNREADABLE.format(which=which, what="its host cannot be read")]) from None
    query = {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
    problems += [f"the {which} URL has ?{name}=, which is not known" for name in sorted(query.keys() - _KNOWN)]
    scheme, _, guarded = parts.scheme.lower().partition("+")
    misplaced = {"rediss://": _SECURE if scheme != "rediss" else (), "…+sentinel://": () if guarded else _GUARDED}
    for where, names in misplaced.items():
        problems += [f"the {which} URL has {name}=, which only {where} uses" for name in names if name in query]
    credentials, _, places = parts.netloc.rpartition("@")
    user, _, password = credentials.partition(":")
    servers = [
        _server(place, _SENTINEL_PORT if guarded else _PORT, which, problems) for place in _split(places, guarded)
    ]
    service, path = _service(parts.path, problems) if guarded else ("", parts.path)
    address = Address(
        host=servers[0][0],
        port=servers[0][1],
        database=_database(path, which, problems),
        user=unquote(user) or None,
        password=unquote(password) or None,
        connection_timeout=_seconds(query, "connection_timeout", 5.0, problems),
        tls=_tls(query, problems) if scheme == "rediss" else None,
        watchmen=_watchmen(tuple(servers), service, query) if guarded else None,
        which=which,
    )
    if problems:
        raise SettingsError([problem.replace("the events URL", f"the {which} URL") for problem in problems])
    return address


def _split(places: str, guarded: str) -> list[str]:
    return places.split(",") if guarded else [places]


def _server(place: str, port: int, which: str, problems: list[str]) -> tuple[str, int]:
    parts = urlsplit(f"//{place}")
    try:
        return parts.hostname or "localhost", parts.port or port
    except ValueError:
        # The port itself is not shown: it may be a part of a password.
        problems.append(_UNREADABLE.format(which=which, what="its port is no number from 1 to 65535"))
        return "localhost", port


def _service(path: str, problems: list[str]) -> tuple[str, str]:
    """The name of the servers, and what is left of the path."""
    service, _, rest = path.strip("/").partition("/")
    if not service:
        problems.append("the events URL names no servers; write redis+sentinel://host:26379,host:26379/name/0")
    return unquote(service), rest


def _watchmen(places: tuple[tuple[str, int], ...], service: str, query: dict[str, str]) -> Watchmen:
    return Watchmen(
        places=places,
        service=service,
        user=query.get("sentinel_user") or None,
        password=query.get("sentinel_password") or None,
    )


def _database(path: str, which: str, problems: list[str]) -> int:
    text = path.strip("/")
    if text and not (text.isdecimal() and text.isascii()):
        problems.append(f"the {which} URL ends in /{text}; it must be the number of a database, such as /0")
        return 0
    return int(text or 0)


def _seconds(query: dict[str, str], name: str, otherwise: float, problems: list[str]) -> float:
    try:
        value = float(query.get(name, otherwise))
    except ValueError:
        value = -1.0
    if not 0 < value < _TOO_LONG:
        problems.append(f"the events URL has {name}={query[name]!r}; it must be a number of seconds")
        return otherwise
    return value


def _tls(query: dict[str, str], problems: list[str]) -> dict[str, Any]:
    verify = query.get("verify", "peer")
    if verify not in ("peer", "none"):
        problems.append(f"the events URL has verify={verify!r}; it must be peer (the default) or none")
    for name in ("cafile", "certfile", "keyfile"):
        if name in query and not os.access(query[name], os.R_OK):
            problems.append(f"the events URL has {name}={query[name]}, which cannot be read")
    return {
        "ssl_cert_reqs": "none" if verify == "none" else "required",
        "ssl_check_hostname": verify != "none",
        "ssl_ca_certs": query.get("cafile"),
        "ssl_certfile": query.get("certfile"),
        "ssl_keyfile": query.get("keyfile"),
    }
