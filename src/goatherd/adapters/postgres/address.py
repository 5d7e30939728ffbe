"""Where the database is and who we are: everything that a `postgresql://` URL says."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qs, unquote, urlsplit

from goatherd.errors import SettingsError

#: What goes to the driver as it is.
_PASSED_ON = (
    "channel_binding", "dbname", "gssencmode", "host", "krbsrvname", "passfile", "port", "require_auth", "service",
    "sslcert", "sslcrl", "sslkey", "sslmode", "sslrootcert", "target_session_attrs", "user",
)  # fmt: skip
_OURS = ("application_name", "connection_timeout", "pool_size")
_FILES = ("passfile", "sslcert", "sslcrl", "sslkey")
_UNREADABLE = "the {which} URL cannot be used: {what}; write @, : and / in a password as %40, %3A and %2F"
#: Seconds that nothing here may take, and connections that nobody needs.
_TOO_LONG, _TOO_MANY = 3600, 1000


@dataclass(frozen=True, kw_only=True)
class Address:
    """One database, perhaps on one of several servers."""

    #: As the driver wants them.
    parameters: Mapping[str, str] = field(repr=False)
    #: The same for people, without a password.
    shown: str
    #: Seconds within which a connection must be made.
    connection_timeout: float = 5.0
    #: Connections at most, besides the one that listens.
    pool_size: int = 5
    #: The setting that it is from: `lanes` or `records`.
    which: str = "lanes"

    def __str__(self) -> str:
        return self.shown

    @property
    def variable(self) -> str:
        """The name of the setting in the environment."""
        return f"GOATHERD_{self.which.upper()}_URL"


def read_address(url: str, which: str = "lanes") -> Address:
    """`postgresql://user:password@host:5432/database?sslmode=verify-full`; raises SettingsError with every mistake."""
    problems: list[str] = []
    try:
        parts = urlsplit(url)
    except ValueError:
        raise SettingsError([_UNREADABLE.format(which=which, what="its host cannot be read")]) from None
    query = {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
    unknown = sorted(query.keys() - {*_PASSED_ON, *_OURS})
    problems += [f"the {which} URL has ?{name}=, which is not known" for name in unknown]
    for name in _FILES:
        if name in query and not os.access(query[name], os.R_OK):
            problems.append(f"the {which} URL has {name}={query[name]}, which cannot be read")
    credentials, _, places = parts.netloc.rpartition("@")
    user, _, password = credentials.partition(":")
    hosts, ports = _servers(places, which, problems)
    said = {
        "user": unquote(user),
        "password": unquote(password),
        "host": hosts,
        "port": ports,
        "dbname": unquote(parts.path[1:]),
    }
    parameters = {name: value for name, value in said.items() if value}
    parameters |= {name: query[name] for name in _PASSED_ON if name in query}
    parameters["application_name"] = query.get("application_name") or "goatherd"
    timeout = _number(query, "connection_timeout", 5.0, which, problems)
    size = _number(query, "pool_size", 5, which, problems)
    if problems:
        raise SettingsError(problems)
    return Address(
        parameters=parameters,
        shown=_shown(parameters),
        connection_timeout=min(timeout, _TOO_LONG),
        pool_size=min(max(1, int(size)), _TOO_MANY),
        which=which,
    )


def _servers(places: str, which: str, problems: list[str]) -> tuple[str, str]:
    """Hosts and ports of all servers, as the driver wants them."""
    hosts, ports = [], []
    for place in places.split(",") if places else []:
        parts = urlsplit(f"//{place}")
        try:
            ports.append(str(parts.port or 5432))
        except ValueError:
            # The port itself is not shown: it may be a part of a password.
            problems.append(_UNREADABLE.format(which=which, what="its port is no number from 1 to 65535"))
        hosts.append(unquote(parts.hostname or "localhost"))
    return ",".join(hosts), ",".join(ports)


def _number(query: dict[str, str], name: str, otherwise: float, which: str, problems: list[str]) -> float:
    try:
        value = float(query.get(name, otherwise))
    except ValueError:
        value = -1.0
    if not value > 0:
        problems.append(f"the {which} URL has {name}={query[name]!r}; it must be a number above 0")
    return value


def _shown(parameters: Mapping[str, str]) -> str:
    ports = parameters.get("port", "5432").split(",")
    hosts = parameters.get("host", "").split(",")
    if len(ports) < len(hosts):
        ports *= len(hosts)
    # A folder is that of a socket, which has no port to speak of.
    places = [host if not host or host.startswith("/") else f"{host}:{port}" for host, port in zip(hosts, ports)]  # noqa: B905
    return f"postgresql://{','.join(places)}/{parameters.get('dbname', '')}"
