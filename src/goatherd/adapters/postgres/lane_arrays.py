"""Jobs, settlements and holds as arrays, one for each column, as the server's functions take them."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import msgspec

from goatherd.model.dead_letter import Burial
from goatherd.model.lane import Commit, GiveUpHead, Hold, LaneItem, Release, Settlement, TryAgain

Column: TypeAlias = list[Any] | None

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Burial).decode


def micros(seconds: float) -> int:
    """Time as the tables keep it."""
    return round(seconds * 1_000_000)


def seconds(micros: int) -> float:
    """Time as we tell it."""
    return micros / 1_000_000


def burial_bytes(burial: Burial) -> bytes:
    """A burial as the tables keep it."""
    return _encode(burial)


def burial_in(kept: bytes) -> Burial:
    """A burial that was kept."""
    return _decode(kept)


def of_items(items: Sequence[LaneItem]) -> tuple[Column, ...]:
    """Ids, lanes, queues, contents, policies, limits, delays, keeping and named; None where all are as usual."""
    return (
        [item.id for item in items],
        [item.lane for item in items],
        [item.queue for item in items],
        [item.content for item in items],
        _unusual((item.on_exhausted for item in items), "hold"),
        _unusual((item.limit for item in items), None),
        _unusual((micros(item.delay) for item in items), 0),
        _unusual((item.keep_place for item in items), False),
        _unusual((item.named for item in items), False),
    )


def of_holds(holds: Sequence[Hold]) -> tuple[Column, ...]:
    """Lanes, tokens and seqs."""
    return [hold.lane for hold in holds], [hold.token for hold in holds], [hold.seq for hold in holds]


def of_settlements(settled: Sequence[Settlement]) -> tuple[Column, ...]:
    """Kinds, lanes, tokens, seqs, contents, delays, burials and policies; None if there are none."""
    if not settled:
        return (None,) * 8
    kinds = [_KINDS[type(settlement)] for settlement in settled]
    holds = of_holds([settlement.hold for settlement in settled])
    if all(kind == "commit" for kind in kinds):
        return kinds, *holds, None, None, None, None
    return (
        kinds,
        *holds,
        [each.content if isinstance(each, TryAgain) else None for each in settled],
        [micros(each.delay) if isinstance(each, TryAgain) else None for each in settled],
        [burial_bytes(each.burial) if isinstance(each, GiveUpHead) else None for each in settled],
        [each.policy if isinstance(each, GiveUpHead) else None for each in settled],
    )


def without_repeats(settled: Sequence[Settlement]) -> tuple[Sequence[Settlement], Sequence[int]]:
    """Each claim once, and the places at which these were; a claim is settled by the first who says so."""
    first = {(each.hold.lane, each.hold.token, each.hold.seq): place for place, each in reversed([*enumerate(settled)])}
    if len(first) == len(settled):
        return settled, range(len(settled))
    places = sorted(first.values())
    return [settled[place] for place in places], places


_KINDS: dict[type[Settlement], str] = {Commit: "commit", Release: "release", TryAgain: "again", GiveUpHead: "give_up"}


def _unusual(values: Iterable[Any], usual: Any) -> Column:
    column = list(values)
    return None if all(value == usual for value in column) else column
