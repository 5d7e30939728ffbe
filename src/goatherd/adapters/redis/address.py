"""Where the server is and who we are: everything that a `redis://` or `rediss://` URL says."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from goatherd.errors import SettingsError

_SECURE = ("cafile", "certfile", "keyfile", "verify")
_KNOWN = frozenset(("connection_timeout", *_SECURE))
_PORT = 6379
_UNREADABLE = "the events URL cannot be used: {what}; write @, : and / in a password as %40, %3A and %2F"
#: Seconds that nothing here may take.
_TOO_LONG = 3600


@dataclass(frozen=True, kw_only=True)
class Address:
    """One server."""

    host: str
    port: int
    database: int = 0
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    #: Seconds within which a connection must be made.
    connection_timeout: float = 5.0
    #: How the driver is told to use TLS; None for none.
    tls: Mapping[str, Any] | None = None

    def __str__(self) -> str:
        return f"{'redis' if self.tls is None else 'rediss'}://{self.host}:{self.port}/{self.database}"


def read_address(url: str) -> Address:
    """`redis://user:password@host:6379/0?connection_timeout=5`; raises SettingsError with every mistake."""
    problems: list[str] = []
    try:
        parts = urlsplit(url)
    except ValueError:
        raise SettingsError([_UNREADABLE.format(what="its host cannot be read")]) from None
    query = {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
    problems += [f"the events URL has ?{name}=, which is not known" for name in sorted(query.keys() - _KNOWN)]
    secure = parts.scheme.lower() == "rediss"
    if not secure:
        problems += [f"the events URL has {name}=, which only rediss:// uses" for name in _SECURE if name in query]
    credentials, _, _ = parts.netloc.rpartition("@")
    user, _, password = credentials.partition(":")
    host, port = _server(parts, problems)
    address = Address(
        host=host,
        port=port,
        database=_database(parts.path, problems),
        user=unquote(user) or None,
        password=unquote(password) or None,
        connection_timeout=_seconds(query, "connection_timeout", 5.0, problems),
        tls=_tls(query, problems) if secure else None,
    )
    if problems:
        raise SettingsError(problems)
    return address


def _server(parts: SplitResult, problems: list[str]) -> tuple[str, int]:
    try:
        return parts.hostname or "localhost", parts.port or _PORT
    except ValueError:
        # The port itself is not shown: it may be a part of a password.
        problems.append(_UNREADABLE.format(what="its port is no number from 1 to 65535"))
        return "localhost", _PORT


def _database(path: str, problems: list[str]) -> int:
    text = path.strip("/")
    if text and not (text.isdecimal() and text.isascii()):
        problems.append(f"the events URL ends in /{text}; it must be the number of a database, such as /0")
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
