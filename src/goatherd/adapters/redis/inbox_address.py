"""Which list or stream an inbox on Redis is."""

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit

from goatherd.adapters.redis.address import Address, read_address
from goatherd.errors import SettingsError

_OURS = ("list", "stream", "group")
_MEANT = "write redis://<host>/0?list=<key> or redis://<host>/0?stream=<key>&group=<name>"


@dataclass(frozen=True, kw_only=True)
class InboxPlace:
    """A key on a server."""

    address: Address
    key: str
    #: The consumer group; None for a list.
    group: str | None = None


def read_place(url: str) -> InboxPlace:
    """Raises SettingsError with every mistake."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise SettingsError([f"the address of an inbox on Redis cannot be read; {_MEANT}"]) from None
    query = parse_qsl(parts.query, keep_blank_values=True)
    said = {name: value for name, value in query if name in _OURS}
    rest = urlencode([(name, value) for name, value in query if name not in _OURS])
    problems: list[str] = []
    key = said.get("list") or said.get("stream") or ""
    if ("list" in said) == ("stream" in said) or not key:
        problems.append(f"an inbox on Redis is one list or one stream; {_MEANT}")
    if "group" in said and ("stream" not in said or not said["group"]):
        problems.append(f"an inbox on Redis has group=, which names the readers of a stream; {_MEANT}")
    try:
        address = read_address(parts._replace(query=rest).geturl(), "inbox")
    except SettingsError as error:
        raise SettingsError([*problems, *error.problems]) from None
    if problems:
        raise SettingsError(problems)
    group = said.get("group", "goatherd") if "stream" in said else None
    return InboxPlace(address=address, key=key, group=group)
