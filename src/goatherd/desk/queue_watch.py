"""The queues of an app from one look to the next: how fast they fill, and how old what waits is."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from goatherd.desk.glance import Glance
from goatherd.errors import SettingsError, Unavailable
from goatherd.model.flow import Changes, Flow
from goatherd.model.head_age import HeadAges
from goatherd.model.topology import QueueState

if TYPE_CHECKING:
    from goatherd.app import Goatherd

#: Seconds for which a look at the queues is good enough, and one at what the broker counts beside it.
FRESH_FOR, COUNTS_FRESH_FOR = 1.0, 2.0
#: Seconds that the broker may take to tell what it counts; without it the rest is shown. If it did not, it is not asked
#: again for so many seconds.
COUNTS_DEADLINE, SILENT_FOR = 1.0, 30.0
#: Queues of listeners that are looked at: each is asked for by name, and thousands would cost more than they show.
MOST_LISTENED = 200

log = logging.getLogger("goatherd.desk")


class QueueWatch:
    """Of one open app; kept beside its session."""

    def __init__(self, app: Goatherd) -> None:
        self._app = app
        self._changes = Changes()
        self._ages = HeadAges()
        self._counts = app.session().ports.inflow
        #: When a broker that did not tell what it counts is asked again.
        self._silent_until: float | None = None
        self._flows = Glance(self._count, COUNTS_FRESH_FOR)
        self.states = Glance(self._look, FRESH_FOR)

    async def close(self) -> None:
        """Nothing is held."""

    def growing(self, queue: str) -> float | None:
        """By how many ready jobs a second it grows; None before the second look."""
        return self._changes.per_second(queue)

    async def flow(self) -> Mapping[str, Flow]:
        """What comes and goes, by queue, where the broker counts it."""
        return {} if self._counts is None else await self._flows.get()

    async def _look(self) -> Sequence[QueueState]:
        also, _ = await listened_queues(self._app, MOST_LISTENED)
        states = await self._app.session().ports.operations.queues(also)
        now = asyncio.get_running_loop().time()
        self._changes.look(now, {state.name: state.ready for state in states})
        flows = await self.flow()
        told = {name: flow.inflow for name, flow in flows.items() if flow.inflow is not None}
        self._ages.note(told, asyncio.get_running_loop().time())
        return [self._ages.of(state) for state in states]

    async def _count(self) -> Mapping[str, Flow]:
        """Asks, and gives nothing where there is no answer: that is no reason not to show the queues."""
        assert self._counts is not None, "otherwise nobody is asked"
        now = asyncio.get_running_loop().time()
        if self._silent_until is not None and now < self._silent_until:
            return {}
        try:
            async with asyncio.timeout(COUNTS_DEADLINE):
                flows = await self._counts.flows()
        except (Unavailable, SettingsError, TimeoutError) as error:
            if self._silent_until is None:
                why = str(error) or f"there was no answer within {COUNTS_DEADLINE:g} s"
                log.info("The broker does not tell how fast queues fill and empty: %s", why)
            self._silent_until = now + SILENT_FOR
            return {}
        self._silent_until = None
        return flows


async def listened_queues(app: Goatherd, limit: int) -> tuple[Sequence[str], Unavailable | None]:
    """The queues to which workers listen now because data wants it, and why they are not known."""
    if not app.listener_book.listened():
        return (), None
    try:
        records = await app.session().recurring.listeners()
        found = await records.find(limit=limit)
    except Unavailable as error:
        return (), error
    return sorted({row.queue for row in found if not row.is_source}), None
