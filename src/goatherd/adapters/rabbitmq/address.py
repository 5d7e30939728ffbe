"""Where the broker is and who we are: everything that an `amqp://` or `amqps://` URL says."""

import ssl
from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from goatherd.errors import SettingsError

_PORTS = {"amqp": 5672, "amqps": 5671}
_FILES = ("cafile", "certfile", "keyfile")
_SECURE = (*_FILES, "verify")
_KNOWN = frozenset(("heartbeat", "connection_timeout", *_SECURE))
#: Seconds that nothing here may take; the broker counts heartbeats in 16 bits.
_TOO_LONG = 65_536


@dataclass(frozen=True, kw_only=True)
class Address:
    """One broker, or the nodes of one cluster."""

    #: Host and port of each node, tried in turn.
    nodes: Sequence[tuple[str, int]]
    virtual_host: str = "/"
    user: str = "guest"
    password: str = field(default="guest", repr=False)
    #: Seconds between signs of life; the broker may ask for a shorter time.
    heartbeat: int = 15
    connection_timeout: float = 5.0
    tls: ssl.SSLContext | None = None

    def __str__(self) -> str:
        nodes = ",".join(f"{host}:{port}" for host, port in self.nodes)
        return f"{'amqps' if self.tls else 'amqp'}://{nodes}/{self.virtual_host.lstrip('/')}"


def read_address(url: str) -> Address:
    """`amqp://user:password@host1:5672,host2/vhost?heartbeat=30`; raises SettingsError with every mistake."""
    problems: list[str] = []
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise SettingsError([f"the broker URL cannot be read: {error}"]) from error
    query = {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
    problems += [f"the broker URL has ?{name}=, which is not known" for name in sorted(query.keys() - _KNOWN)]
    if parts.scheme == "amqp":
        problems += [f"the broker URL has {name}=, which only amqps:// uses" for name in _SECURE if name in query]
    user, _, password = _credentials(parts).partition(":")
    address = Address(
        nodes=_nodes(parts, problems),
        virtual_host=unquote(parts.path[1:]) if len(parts.path) > 1 else "/",
        user=unquote(user) or "guest",
        password=unquote(password) if password else "guest",
        heartbeat=int(_number(query, "heartbeat", 15, problems)),
        connection_timeout=_number(query, "connection_timeout", 5.0, problems),
        tls=_tls(query, problems) if parts.scheme == "amqps" else None,
    )
    problems += _if_guest_abroad(address)
    if problems:
        raise SettingsError(problems)
    return address


def _if_guest_abroad(address: Address) -> list[str]:
    """Everybody knows guest's password, so brokers that are well kept let it in only from their own machine."""
    abroad = [host for host, _ in address.nodes if not _is_this_machine(host)]
    if address.user != "guest" or not abroad:
        return []
    told = (
        f"the broker URL logs in as guest on {', '.join(abroad)}, which is not this machine; RabbitMQ allows that only "
        f"on its own. Make a user there (`rabbitmqctl add_user NAME`, then `set_permissions`) and write "
        f"amqp://NAME:PASSWORD@{abroad[0]}"
    )
    return [told]


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _credentials(parts: SplitResult) -> str:
    return parts.netloc.rpartition("@")[0]


def _nodes(parts: SplitResult, problems: list[str]) -> list[tuple[str, int]]:
    nodes = []
    for node in parts.netloc.rpartition("@")[2].split(","):
        try:
            one = urlsplit(f"//{node}")
            nodes.append((one.hostname or "localhost", one.port or _PORTS[parts.scheme]))
        except ValueError as error:
            problems.append(f"the broker URL has a host {node!r} that cannot be read: {error}")
    return nodes


def _number(query: dict[str, str], name: str, otherwise: float, problems: list[str]) -> float:
    if name not in query:
        return otherwise
    try:
        value = float(query[name])
    except ValueError:
        value = -1.0
    if not 0 <= value < _TOO_LONG:
        problems.append(f"the broker URL has {name}={query[name]!r}; it must be a number of seconds")
        return otherwise
    return value


def _tls(query: dict[str, str], problems: list[str]) -> ssl.SSLContext | None:
    if query.get("verify", "peer") not in ("peer", "none"):
        problems.append(f"the broker URL has verify={query['verify']!r}; it must be peer (the default) or none")
    try:
        context = ssl.create_default_context(cafile=query.get("cafile"))
        if query.get("verify") == "none":
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if "certfile" in query:
            context.load_cert_chain(query["certfile"], query.get("keyfile"))
    except (OSError, ssl.SSLError) as error:
        files = ", ".join(f"{name}={query[name]}" for name in _FILES if name in query)
        problems.append(f"the certificates of the broker URL ({files}) cannot be used: {error}")
        return None
    return context
