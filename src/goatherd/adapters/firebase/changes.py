"""What an event of the database says about commands."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from goatherd.model.command import Command


class _Told(msgspec.Struct):
    path: str
    data: msgspec.Raw


class Change(NamedTuple):
    """Commands that were told whole, and keys of those that were told in part, which must be read anew."""

    whole: list[Command]
    in_part: list[str]


def change_of(name: str, data: bytes) -> Change:
    """What a `put` or `patch` says; raises msgspec.DecodeError for what is none."""
    told = msgspec.json.decode(data, type=_Told)
    parts = [part for part in told.path.split("/") if part]
    if len(parts) > 1:
        return Change([], [parts[0]])
    if parts:
        # A child as a whole, or some of its members.
        return Change(_whole({parts[0]: told.data}), []) if name == "put" else Change([], [parts[0]])
    children = children_of(bytes(told.data))
    if name == "put":
        return Change(_whole(children), [])
    # A patch may say `{"key/member": …}` as well.
    deep = {key.strip("/").partition("/")[0] for key in children if "/" in key.strip("/")}
    flat = {key.strip("/"): value for key, value in children.items() if "/" not in key.strip("/")}
    return Change(_whole(flat), sorted(deep))


def commands_in(body: bytes) -> list[Command]:
    """All children of a place, as it was read."""
    return _whole(children_of(body))


def children_of(body: bytes) -> Mapping[str, msgspec.Raw]:
    """The children by key; what is no object has none. Where keys look like numbers, the database makes a list."""
    if body[:1] == b"[":
        listed = msgspec.json.decode(body, type=list[msgspec.Raw])
        return {str(number): child for number, child in enumerate(listed)}
    if body[:1] == b"{":
        return msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    return {}


def _whole(children: Mapping[str, msgspec.Raw]) -> list[Command]:
    """Those that are there: null means gone."""
    told = ((key, bytes(child).strip()) for key, child in children.items())
    return [Command(key=key, body=body) for key, body in told if body != b"null"]
