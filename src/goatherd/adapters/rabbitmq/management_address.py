"""Where the management API of a broker is: beside the broker, or where a URL says."""

import ssl
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote, urlsplit

from goatherd.adapters.rabbitmq.address import Address
from goatherd.errors import SettingsError

#: Where RabbitMQ listens unless it is told otherwise.
PORTS = {"http": 15672, "https": 15671}


@dataclass(frozen=True, kw_only=True)
class ManagementAddress:
    """One API, which every node of a cluster offers."""

    #: Host and port of each node, tried in turn.
    nodes: Sequence[tuple[str, int]]
    user: str
    password: str = field(repr=False)
    #: What all paths begin with, if the API is behind a proxy.
    prefix: str = ""
    #: Seconds within which a connection must be made.
    connection_timeout: float = 5.0
    tls: ssl.SSLContext | None = None

    def __str__(self) -> str:
        nodes = ",".join(f"{host}:{port}" for host, port in self.nodes)
        return f"{'https' if self.tls else 'http'}://{nodes}{self.prefix}"


def beside(broker: Address) -> ManagementAddress:
    """On the hosts of the broker, with its user, and with TLS if the broker has it."""
    port = PORTS["https" if broker.tls else "http"]
    return ManagementAddress(
        nodes=[(host, port) for host, _ in broker.nodes],
        user=broker.user,
        password=broker.password,
        connection_timeout=broker.connection_timeout,
        tls=broker.tls,
    )


def read_management_url(url: str, broker: Address) -> ManagementAddress:
    """`https://user:password@host:15671/prefix`; without a user it is the broker's. Raises SettingsError."""
    parts, port = _split(url)
    if parts.scheme not in PORTS or not parts.hostname or parts.query or parts.fragment:
        raise SettingsError(["the management URL must be like http://user:password@host:15672"])
    user, password = broker.user, broker.password
    if parts.username is not None:
        user, password = unquote(parts.username), unquote(parts.password or "")
    return ManagementAddress(
        nodes=[(parts.hostname, port or PORTS[parts.scheme])],
        user=user,
        password=password,
        prefix=parts.path.rstrip("/").removesuffix("/api"),
        connection_timeout=broker.connection_timeout,
        tls=(broker.tls or ssl.create_default_context()) if parts.scheme == "https" else None,
    )


def _split(url: str) -> tuple[SplitResult, int | None]:
    try:
        parts = urlsplit(url)
        return parts, parts.port
    except ValueError:
        # What Python says about it would show the password.
        told = "the management URL cannot be read; write @, : and / in a password as %40, %3A and %2F"
        raise SettingsError([told]) from None
