"""Open the lanes of an app, and find the one that is meant."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import click

from goatherd.cli.output import Failed

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.lane import LaneState
    from goatherd.ports.lanes import LaneOperations

#: Lanes that are looked at for one whose key was not given in full, and those that an error names.
MOST_SEEN, MOST_NAMED = 1000, 5

key_argument = click.argument("key")


@asynccontextmanager
async def opened_lanes(app: Goatherd) -> AsyncIterator[LaneOperations]:
    """The lanes of an app, without its broker, until the block ends; raises Unavailable."""
    from goatherd.ports.clock import SystemClock
    from goatherd.wiring import open_lanes

    opened = await open_lanes(app.settings, SystemClock())
    try:
        yield opened.operations
    finally:
        await opened.lanes.close()


async def find_lane(app: Goatherd, operations: LaneOperations, given: str) -> LaneState:
    """The lane with that key, full as `comments/post_id=7` or as it is shown, `post_id=7`; raises Failed."""
    exact = await operations.get(given)
    if exact is not None:
        return exact
    found = await _meant(app, operations, given)
    if len(found) > 1:
        told = ", ".join(state.key for state in found[:MOST_NAMED])
        raise Failed(f"{len(found)} lanes are shown as {given!r}: {told}. Give the full key of one.")
    if not found:
        raise Failed(await _unknown(operations, given))
    return found[0]


async def _meant(app: Goatherd, operations: LaneOperations, given: str) -> Sequence[LaneState]:
    """Lanes that people see under this key: those that the app's own tasks would make, and all that are there."""
    from goatherd.model.lane import shown

    value = given.partition("=")[2]
    rules = {task.lane.name for task in app.definitions() if task.lane is not None}
    keys = sorted(key for key in (f"{name}={value}" for name in rules) if shown(key) == given)
    own = [await operations.get(key) for key in keys]
    near = await operations.find(containing=given, limit=MOST_SEEN)
    found = {state.key: state for state in (*own, *near) if state is not None and shown(state.key) == given}
    return list(found.values())


async def _unknown(operations: LaneOperations, given: str) -> str:
    near = await operations.find(containing=given.rpartition("=")[2] or given, limit=MOST_NAMED)
    told = ", ".join(state.key for state in near)
    nearby = f" There are {told}." if told else ""
    return (
        f"Nothing waits in a lane {given!r}; a lane is gone when its last job is done.{nearby} "
        f"`goatherd lanes list` shows those there are."
    )
