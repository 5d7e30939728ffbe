"""What retry and skip share: which lanes are meant, and what became of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from goatherd.cli.lane_access import opened_lanes
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.desk.lane_looks import LaneLook
    from goatherd.desk.lane_moves import Moved


def check_choice(key: str | None, *, everything: bool) -> None:
    """One lane, or all that are held; raises UsageError."""
    if (key is None) == (not everything):
        raise click.UsageError("Say which lane, by its key, or --all for every lane that is held.")


async def chosen_lanes(app: Goatherd, key: str | None, what: str) -> list[LaneLook]:
    """The lane that is named, or all that are held, as the user is asked about them; raises NotThere or NotNow."""
    from goatherd.desk.lane_moves import held_lanes, stuck_lane

    async with opened_lanes(app) as operations:
        if key is None:
            return await held_lanes(app, operations)
        return [await stuck_lane(app, operations, key, what)]


def told_of_all(done: Sequence[Moved], chosen: int, what: str) -> str:
    """`Retried 12 lanes.`"""
    missed = f" {counted(chosen - len(done), 'lane')} had gone on by then." if chosen > len(done) else ""
    return f"{what} {counted(len(done), 'held lane')}.{missed}" if chosen else "No lane is held."
