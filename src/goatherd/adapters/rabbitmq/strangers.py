"""The programs of others that are connected to a virtual host now, as far as an operator is told."""

from typing import Any

import msgspec

from goatherd.adapters.rabbitmq.management import Management, NotThere, path_of
from goatherd.adapters.rabbitmq.shovel import NAME as OUR_SHOVEL
from goatherd.errors import Unavailable

#: What programs of ours call themselves.
OURS = "goatherd"
#: The tags of users who see the connections of all others.
_SEE_ALL = frozenset(("administrator", "monitoring"))


class _Connection(msgspec.Struct):
    #: Missing for a moment after it was made, and of some protocols.
    client_properties: dict[str, Any] = {}
    user_provided_name: str | None = None
    user: str = ""
    peer_host: str | None = None
    peer_port: int | None = None
    protocol: str | None = None


class _User(msgspec.Struct):
    #: Old brokers write them as one text.
    tags: list[str] | str = []


async def strangers(management: Management, virtual_host: str) -> tuple[str, ...] | None:
    """In words, each once; None where this user is not told of all. The broker learns of them a few seconds late.

    Raises SettingsError or Unavailable.
    """
    try:
        user = msgspec.convert(await management.ask("whoami"), _User)
        tags = user.tags.split(",") if isinstance(user.tags, str) else user.tags
        if not _SEE_ALL & {tag.strip() for tag in tags}:
            return None
        told = await management.ask(path_of("vhosts", virtual_host, "connections"))
        return tuple(
            sorted({_in_words(each) for each in msgspec.convert(told, list[_Connection]) if _is_strange(each)})
        )
    except NotThere as error:
        raise Unavailable(f"The broker has no {error} any more. Try again.") from error
    except msgspec.ValidationError as error:
        raise Unavailable(
            f"What the management API at {management.address} tells of connections is not understood: {error}. It may "
            f"be of a version that this program does not know."
        ) from error


def _is_strange(connection: _Connection) -> bool:
    name = connection.user_provided_name or ""
    return connection.client_properties.get("product") != OURS and OUR_SHOVEL not in name


def _in_words(connection: _Connection) -> str:
    product = connection.client_properties.get("product") or connection.protocol or "a program"
    name = f" {connection.user_provided_name!r}" if connection.user_provided_name else ""
    place = f" from {connection.peer_host}" if connection.peer_host else ""
    return f"{product}{name} as {connection.user or 'nobody'}{place}"
