"""What of each queue waits in lanes, which a broker does not count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from goatherd.desk.glance import glances_of
from goatherd.errors import Unavailable
from goatherd.model.lane_wait import LaneWait

if TYPE_CHECKING:
    from goatherd.app import Goatherd

#: Seconds for which a look is good enough.
FRESH_FOR = 2.0


async def waiting_lanes(app: Goatherd) -> Mapping[str, LaneWait]:
    """By queue, for those whose tasks have a key; nothing while their store is away, of which the overview tells."""
    keyed = sorted({task.queue for task in app.definitions() if task.lane is not None})

    async def look() -> Mapping[str, LaneWait]:
        try:
            operations = (await app.session().lanes()).operations
            return {each.queue: each for each in await operations.waiting(keyed)}
        except Unavailable:
            return {}

    return await glances_of(app).of("waiting lanes", look, FRESH_FOR).get() if keyed else {}
