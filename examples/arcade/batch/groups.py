"""Who plays with whom: by rating, and nobody waits longer than needed."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Waiting:
    """A ticket that waits for others."""

    ticket_id: str
    player_id: int
    rating: int
    created: float


def groups(waiting: Sequence[Waiting], count: int, band: int) -> list[list[Waiting]]:
    """So many players each, whose ratings are at most `band` apart; who is left over waits on."""
    ordered = sorted(_first_of_each_player(waiting), key=lambda one: (one.rating, one.created, one.ticket_id))
    found: list[list[Waiting]] = []
    start = 0
    while start + count <= len(ordered):
        window = ordered[start : start + count]
        if window[-1].rating - window[0].rating <= band:
            found.append(window)
            start += count
        else:
            start += 1
    return found


def _first_of_each_player(waiting: Sequence[Waiting]) -> list[Waiting]:
    by_player: dict[int, Waiting] = {}
    for one in sorted(waiting, key=lambda one: (one.created, one.ticket_id)):
        by_player.setdefault(one.player_id, one)
    return list(by_player.values())
