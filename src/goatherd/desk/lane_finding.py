"""Find the lanes that are meant."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goatherd.desk.errors import Ambiguous, NotThere
from goatherd.desk.lane_looks import LaneLook, read_lane
from goatherd.model.lane import LaneCondition, LaneState, shown

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.ports.lanes import LaneOperations

#: Lanes that are looked at for one whose key was not given in full, and those that an error names.
MOST_SEEN, MOST_NAMED = 1000, 5
#: Lanes whose first job is asked for at once: one after the other, a page would wait for each.
AT_ONCE = 10


@dataclass(frozen=True, kw_only=True)
class LaneChoice:
    """Which lanes are shown."""

    #: A part of their keys.
    text: str = ""
    condition: LaneCondition | None = None
    limit: int = 50


async def read_lanes(app: Goatherd, operations: LaneOperations, choice: LaneChoice) -> list[LaneLook]:
    """The lanes that are chosen, as they stand; held ones first, then those of the oldest condition."""
    states = await operations.find(condition=choice.condition, containing=choice.text, limit=choice.limit)
    found: list[LaneLook] = []
    for place in range(0, len(states), AT_ONCE):
        some = states[place : place + AT_ONCE]
        found += await asyncio.gather(*(read_lane(app, operations, state) for state in some))
    return found


async def find_lane(app: Goatherd, operations: LaneOperations, given: str) -> LaneState:
    """The lane with that key, full as `comments/post_id=7` or as it is shown, `post_id=7`; raises NotThere."""
    exact = await operations.get(given)
    if exact is not None:
        return exact
    found = await _meant(app, operations, given)
    if len(found) > 1:
        told = ", ".join(state.key for state in found[:MOST_NAMED])
        many = f"{len(found)} lanes are shown as {given!r}: {told}. Give the full key of one."
        raise Ambiguous("lane", given, told=many)
    if not found:
        raise await _unknown(operations, given)
    return found[0]


async def _meant(app: Goatherd, operations: LaneOperations, given: str) -> Sequence[LaneState]:
    """Lanes that people see under this key: those that the app's own tasks would make, and all that are there."""
    value = given.partition("=")[2]
    rules = {task.lane.name for task in app.definitions() if task.lane is not None}
    keys = sorted(key for key in (f"{name}={value}" for name in rules) if shown(key) == given)
    own = [await operations.get(key) for key in keys]
    near = await operations.find(containing=given, limit=MOST_SEEN)
    found = {state.key: state for state in (*own, *near) if state is not None and shown(state.key) == given}
    return list(found.values())


async def _unknown(operations: LaneOperations, given: str) -> NotThere:
    near = await operations.find(containing=given.rpartition("=")[2] or given, limit=MOST_NAMED)
    told = ", ".join(state.key for state in near)
    return NotThere(
        "lane",
        given,
        f"There are {told}." if told else "",
        told=f"Nothing waits in a lane {given!r}; a lane is gone when its last job is done.",
        at_shell="`goatherd lanes list` shows those there are.",
    )
