"""Put jobs into lanes: those of all senders of a process together, one batch at a time."""

import asyncio
import logging
from collections import deque
from collections.abc import Sequence

from goatherd.errors import Refused, Unavailable
from goatherd.model.ids import new_id
from goatherd.model.lane import LaneItem, OnExhausted, Placement, packed, shown
from goatherd.model.message import LANE, ON_EXHAUSTED, Message
from goatherd.ports.calls import Receipt
from goatherd.ports.lanes import Lanes

#: Jobs that go to the store in one step.
BATCH = 500
#: Seconds before a store that is away is tried again.
AGAIN_AFTER = 0.2

log = logging.getLogger("goatherd.lanes")


class LanePosting:
    """The way into the lanes of one process; jobs of one caller keep their order.

    A batch whose answer was lost is sent again under its number, which the store knows, so nothing enters a lane twice.
    """

    def __init__(self, lanes: Lanes, deadline: float) -> None:
        self._lanes = lanes
        self._deadline = deadline
        self._sender = new_id()
        self._number = 0
        self._waiting: deque[_Parcel] = deque()
        self._carrying: asyncio.Task[None] | None = None

    async def put(self, items: Sequence[LaneItem]) -> Sequence[Placement]:
        """Put jobs into their lanes, in order; durable when it returns. Raises Unavailable, or Refused for full lanes.

        Jobs whose lane is not full are in even if others are refused; those that are not are the error's `jobs`.
        """
        placements: list[Placement] = []
        for start in range(0, len(items), BATCH):
            part = items[start : start + BATCH]
            try:
                placed = await self._hand_in(part)
            except Unavailable as error:
                error.jobs = tuple(item.id for item in items[start:])
                raise
            placements += placed
            if any(each.answer == "full" for each in placed):
                raise refused(part, placed, items[start + BATCH :])
        return placements

    def ask(self, item: LaneItem, receipt: Receipt) -> None:
        """Put in a job that somebody waits for."""
        parcel = self._accept([item])

        def tell(done: "asyncio.Future[Sequence[Placement]]") -> None:
            if done.cancelled():
                return
            error = done.exception()
            if isinstance(error, Unavailable):
                receipt.failed(error)
            elif error is not None:
                receipt.failed(Unavailable(f"The lane of {item.id} could not be reached: {error}", jobs=[item.id]))
            elif done.result()[0].answer == "full":
                receipt.failed(refused([item], done.result(), ()))
            else:
                receipt.taken()

        parcel.placed.add_done_callback(tell)

    async def close(self) -> None:
        """Return when all that was handed in is placed, or has failed."""
        if self._carrying is not None:
            await self._carrying

    async def _hand_in(self, items: Sequence[LaneItem]) -> Sequence[Placement]:
        # What was handed in goes its way, even if whoever waits for it is cancelled.
        return await asyncio.shield(self._accept(items).placed)

    def _accept(self, items: Sequence[LaneItem]) -> "_Parcel":
        loop = asyncio.get_running_loop()
        parcel = _Parcel(items, loop.time() + self._deadline, loop.create_future())
        self._waiting.append(parcel)
        if self._carrying is None or self._carrying.done():
            self._carrying = asyncio.create_task(self._carry_all(), name="goatherd lane posting")
        return parcel

    async def _carry_all(self) -> None:
        while parcels := self._next_batch():
            try:
                await self._carry(parcels)
            except Exception as error:
                if not isinstance(error, Unavailable):
                    log.exception("Jobs could not be put into their lanes")
                for parcel in parcels:
                    parcel.fail(error)

    def _next_batch(self) -> "list[_Parcel]":
        self._turn_away_the_late()
        if not self._waiting:
            return []
        parcels = [self._waiting.popleft()]
        size = len(parcels[0].items)
        while self._waiting and size + len(self._waiting[0].items) <= BATCH:
            parcels.append(self._waiting.popleft())
            size += len(parcels[-1].items)
        return parcels

    def _turn_away_the_late(self) -> None:
        """Who waited behind others until their own time was over is told so, and not kept for a try of their own."""
        now = asyncio.get_running_loop().time()
        while self._waiting and self._waiting[0].deadline <= now:
            told = f"Lanes are away or overloaded: others had not been served within {self._deadline:g} s. Try again."
            self._waiting.popleft().fail(Unavailable(told))

    async def _carry(self, parcels: "list[_Parcel]") -> None:
        self._number += 1
        items = [item for parcel in parcels for item in parcel.items]
        placements = iter(await self._insist(items, max(parcel.deadline for parcel in parcels)))
        for parcel in parcels:
            parcel.arrive([next(placements) for _ in parcel.items])

    async def _insist(self, items: Sequence[LaneItem], deadline: float) -> Sequence[Placement]:
        loop, told = asyncio.get_running_loop(), False
        while True:
            try:
                return await self._lanes.enqueue(self._sender, self._number, items)
            except Unavailable as error:
                if loop.time() + AGAIN_AFTER >= deadline:
                    raise
                if not told:
                    log.warning("Lanes cannot be reached; trying until they can: %s", error)
                    told = True
                await asyncio.sleep(AGAIN_AFTER)


class _Parcel:
    """Jobs that one caller handed in together."""

    def __init__(
        self, items: Sequence[LaneItem], deadline: float, placed: "asyncio.Future[Sequence[Placement]]"
    ) -> None:
        self.items = items
        self.deadline = deadline
        self.placed = placed

    def arrive(self, placements: Sequence[Placement]) -> None:
        if not self.placed.done():
            self.placed.set_result(placements)

    def fail(self, error: Exception) -> None:
        if self.placed.done():
            return
        if isinstance(error, Unavailable):
            # Each caller gets an error of its own, to which it may add.
            own = Unavailable(str(error), retry_after=error.retry_after, jobs=[item.id for item in self.items])
            own.__cause__ = error.__cause__
            error = own
        self.placed.set_exception(error)
        # A caller that was cancelled does not look at it.
        self.placed.exception()


def lane_item(message: Message, *, limit: int | None, keep_place: bool, named: bool, now: float) -> LaneItem:
    """A message with a lane as that keeps it."""
    headers = message.headers
    return LaneItem(
        id=message.id,
        lane=str(headers[LANE]),
        queue=message.queue,
        content=packed(message),
        on_exhausted=_policy(headers.get(ON_EXHAUSTED)),
        limit=limit,
        delay=0.0 if message.due is None else max(0.0, message.due - now),
        keep_place=keep_place,
        named=named,
    )


def _policy(told: object) -> OnExhausted:
    return "skip" if told == "skip" else "cancel_rest" if told == "cancel_rest" else "hold"


def refused(items: Sequence[LaneItem], placed: Sequence[Placement], untried: Sequence[LaneItem]) -> Refused:
    """The error for jobs of which some found their lane full, and others were not even tried."""
    full = [item for item, each in zip(items, placed, strict=True) if each.answer == "full"]
    first = full[0]
    return Refused(
        f"The lane {shown(first.lane)} has as many jobs as it may have ({first.limit}), so it took no more. Send to it "
        f"again when it has moved on (`goatherd lanes show` says what stops it), or raise lane_limit= of the task.",
        limit="lane_limit",
        jobs=[item.id for item in (*full, *untried)],
    )
