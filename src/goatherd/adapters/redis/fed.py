"""Events of the feed as Redis tells them."""

from collections.abc import Sequence
from typing import Any, cast

import msgspec

from goatherd.adapters.redis.messages import hash_of
from goatherd.model.event import Kind, Position
from goatherd.ports.feed import Fed


class Claimed(msgspec.Struct, frozen=True, kw_only=True):
    """An answer of XAUTOCLAIM."""

    cursor: str
    entries: Sequence[Any]
    vanished: int


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """Some of what others had taken."""

    #: Where the next page begins; `0-0` if this was the last.
    cursor: str
    events: Sequence[Fed]
    #: How many were no longer there.
    vanished: int


def fed_of(shard: int, entries: Sequence[Any]) -> tuple[list[Fed], list[str]]:
    """The entries of a shard's stream, and the ids of those that are no events of ours."""
    events: list[Fed] = []
    strange: list[str] = []
    for place, fields in entries:
        try:
            events.append(_fed(shard, place.decode(), hash_of(fields)))
        except (KeyError, ValueError):
            strange.append(place.decode())
    return events, strange


def claimed(answer: Sequence[Any]) -> Claimed:
    """The answer in its parts; servers before Redis 7 have no third, and nothing in the place of what was deleted."""
    cursor, entries, *deleted = answer
    there = [entry for entry in entries if entry is not None and entry[1] is not None]
    gone = len(entries) - len(there) + (len(deleted[0]) if deleted else 0)
    return Claimed(cursor=cursor.decode(), entries=there, vanished=gone)


def note_of_failure(fed: Fed) -> tuple[Any, ...]:
    """The end of a failed job as `settle.lua` takes it, for other programs to read."""
    fields = ("job", fed.job, "id", str(fed.position), "d", fed.body)
    return fed.place, len(fields), *fields


def _fed(shard: int, place: str, fields: dict[str, bytes]) -> Fed:
    return Fed(
        job=fields["job"].decode(),
        position=Position.parse(fields["id"].decode()),
        kind=cast(Kind, fields["k"].decode()),
        body=fields["d"],
        at=int(place.partition("-")[0]) / 1000,
        shard=shard,
        place=place,
    )
