"""Send what was committed: note it if it is watched, then give it to the broker or to its lane."""

import asyncio
import logging
from collections.abc import Collection, Sequence

from goatherd.engine.enqueue import PostingOpener
from goatherd.engine.lane_posting import lane_item
from goatherd.engine.listener_doors import ListenerDoors
from goatherd.engine.means import Means
from goatherd.engine.tracked import Tracked
from goatherd.errors import TopologyMismatch, Unavailable
from goatherd.model.outbox import OutboxRow

log = logging.getLogger("goatherd.outbox")


class OutboxPost:
    """Sends the rows of one app's outbox."""

    def __init__(self, means: Means, open_posting: PostingOpener, tracked: Tracked, doors: ListenerDoors) -> None:
        self._broker = means.broker
        self._doors = doors
        self._clock = means.clock
        self._telemetry = means.telemetry
        self._open_posting = open_posting
        self._tracked = tracked

    async def send_loose(self, rows: Sequence[OutboxRow]) -> Collection[int]:
        """Publish rows that need no order; gives the places of those that need not be sent again.

        Raises Unavailable when nothing can be sent now, whatever it is.
        """
        live = await self._noted(rows)
        sent = await self._published([row for row in live if not row.job.placed])
        left = {row.place for row in live if not row.job.placed} - {row.place for row in sent}
        self._count(sent)
        return {row.place for row in rows} - left

    async def send_laned(self, rows: Sequence[OutboxRow]) -> Collection[int]:
        """Put rows into their lanes, in order; raises Unavailable if that cannot be done."""
        live = await self._noted(rows)
        now = self._clock.now()
        # A lane's limit is for those who can be told that it is full, and the id lets the lane know what comes twice.
        items = [
            lane_item(row.job.message, limit=None, keep_place=row.job.keep_place, named=True, now=now) for row in live
        ]
        if items:
            await (await self._open_posting()).put(items)
        self._count(live)
        return {row.place for row in rows}

    async def _noted(self, rows: Sequence[OutboxRow]) -> list[OutboxRow]:
        """Those that have not ended yet; of those that are watched it is noted that they wait."""
        watched = [row for row in rows if row.job.tracked]
        if not watched:
            return list(rows)
        noting = (self._tracked.note_waiting(row.job.message) for row in watched)
        ended = {row.place for row, waits in zip(watched, await asyncio.gather(*noting), strict=True) if not waits}
        return [row for row in rows if row.place not in ended]

    async def _published(self, rows: Sequence[OutboxRow]) -> list[OutboxRow]:
        """Those that the broker took."""
        if not rows:
            return []
        taken, error = await self._publish(rows)
        if error is None or taken:
            return taken
        if self._broker.state != "up":
            raise error
        # Perhaps one queue alone is at fault.
        queues = sorted({row.job.message.queue for row in rows})
        if len(queues) > 1:
            for queue in queues:
                some, _ = await self._publish([row for row in rows if row.job.message.queue == queue])
                taken += some
        if not taken:
            log.warning("%d jobs of the outbox were refused, and are tried again: %s", len(rows), error)
        return taken

    async def _publish(self, rows: Sequence[OutboxRow]) -> tuple[list[OutboxRow], Unavailable | None]:
        try:
            await self._doors.publish([row.job.message for row in rows])
        except Unavailable as error:
            refused = set(error.jobs) or {row.job.message.id for row in rows}
            return [row for row in rows if row.job.message.id not in refused], error
        except TopologyMismatch as error:
            # A queue that is made when it is needed is there with another shape; its jobs wait until that is mended.
            return [], Unavailable(str(error), jobs=[row.job.message.id for row in rows])
        return list(rows), None

    def _count(self, rows: Sequence[OutboxRow]) -> None:
        for row in rows:
            self._telemetry.sent(row.job.message)
