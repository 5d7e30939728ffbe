"""Put dead letters back into the lanes that they came from, at the end: what was behind them has gone on."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import msgspec

from goatherd.engine.lane_posting import lane_item
from goatherd.model.dead_letter import StoredLetter
from goatherd.model.lane import LaneItem, Placement
from goatherd.model.message import LANE, Message


class WayIn(Protocol):
    """The way into lanes; `LanePosting` is one."""

    async def put(self, items: Sequence[LaneItem]) -> Sequence[Placement]:
        """Put jobs at the ends of their lanes, durable when it returns; raises Unavailable."""


#: Opens the lanes when there is something for them.
WayInOpener: TypeAlias = Callable[[], Awaitable[WayIn]]


@dataclass(frozen=True, kw_only=True)
class Returned:
    """Where a job went."""

    job_id: str
    #: The lane's full key.
    lane: str
    #: How many are before it; None if it was put back already, by somebody else or by a try that was cut off.
    ahead: int | None


def belongs_in_lane(message: Message) -> bool:
    """Whether it is one of those that are done in order."""
    return LANE in message.headers


async def return_to_lanes(way: WayIn, pairs: Sequence[tuple[StoredLetter, Message]]) -> list[Returned]:
    """Put each message in the place of its letter, which stays for now; the same letter enters a lane once."""
    items = [_item(letter, message) for letter, message in pairs]
    placements = await way.put(items)
    return [
        Returned(job_id=message.id, lane=item.lane, ahead=placed.ahead if placed.answer == "placed" else None)
        for (_, message), item, placed in zip(pairs, items, placements, strict=True)
    ]


def _item(letter: StoredLetter, message: Message) -> LaneItem:
    item = lane_item(message, limit=None, keep_place=False, named=True, now=0.0)
    # Lanes remember it by its letter: the job's own id may be known to them, from when it was sent or put back before.
    return msgspec.structs.replace(item, id=f"{message.id}~{letter.id}")
