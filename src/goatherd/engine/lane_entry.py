"""Keyed jobs that came by the broker, because whoever sent them knows nothing of lanes, are put into theirs."""

import logging

import msgspec

from goatherd.engine.admission import Admitted
from goatherd.engine.enqueue import PostingOpener
from goatherd.engine.lane_posting import lane_item
from goatherd.engine.lane_source import Held
from goatherd.errors import InvalidArguments, Refused, Unavailable
from goatherd.model.formats import failures_of
from goatherd.model.message import LANE, ON_EXHAUSTED, RETRIES, Delivery
from goatherd.model.verdict import Again, Done, Verdict, dead
from goatherd.ports.clock import Clock

#: Seconds after which a job is offered again whose lane is full or away.
AGAIN_AFTER = 5.0

log = logging.getLogger("goatherd.lanes")


class LaneEntry:
    """Used by one worker."""

    def __init__(self, open_posting: PostingOpener, clock: Clock) -> None:
        self._open_posting = open_posting
        self._clock = clock

    def concerns(self, delivery: Delivery, admitted: Admitted) -> bool:
        """Whether it has a lane and is not in it."""
        return admitted.task.lane is not None and not isinstance(delivery.tag, Held)

    async def place(self, delivery: Delivery, admitted: Admitted) -> Verdict:
        """Put it at the end of its lane; what becomes of the delivery then."""
        task, work, message = admitted.task, admitted.work, delivery.message
        assert task.lane is not None, "only keyed jobs come here"
        positional, named = admitted.arguments
        by_name = {**dict(zip(task.signature.positional_only, positional, strict=False)), **named}
        try:
            lane = task.lane.key_of(by_name)
        except InvalidArguments as error:
            return dead("invalid", "InvalidArguments", str(error), work.failures, self._clock.now())
        except Exception as error:  # noqa: BLE001 - a key may be told by the user's own function, which may raise anything
            told = f"the key of {task.name!r} cannot be told: {task.lane.choice.key!r} raised {error}"
            return dead("invalid", type(error).__name__, told, work.failures, self._clock.now())
        marks = {LANE: lane, ON_EXHAUSTED: task.lane.on_exhausted, RETRIES: task.retry.retries}
        placed = msgspec.structs.replace(message, id=work.job_id, due=None, headers={**message.headers, **marks})
        # The broker may deliver it a second time, which the lane knows by its id.
        item = lane_item(placed, limit=task.lane.limit, keep_place=False, named=True, now=self._clock.now())
        try:
            await (await self._open_posting()).put([item])
        except Unavailable as error:
            why = "its lane is full" if isinstance(error, Refused) else "its lane cannot be reached"
            return Again(delay=AGAIN_AFTER, failures=failures_of(message.headers), why=f"{why}: {error}")
        log.debug("%s came by the broker and is in its lane %s now", work.job_id, lane)
        return Done(result=None)
