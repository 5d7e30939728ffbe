"""Empty the outbox: in every worker all the time, and for a while in a process that has written into it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from goatherd.engine.apart import apart
from goatherd.engine.outbox_post import OutboxPost
from goatherd.errors import GoatherdError, Unavailable
from goatherd.ports.outbox import Outbox

#: Rows that are sent in one step.
BATCH = 500
#: Seconds between two looks: right after somebody has written, when nothing happens, and while a store is away.
SOON, IDLE, AWAY = 0.01, 0.2, 5.0
#: Seconds for which a process that has written looks whether it was committed; afterwards workers do.
WHILE = 30.0
#: Seconds after a job was put into its lane in a transaction, when that may have been committed and workers are called.
RINGS = (0.02, 0.1, 0.5)
#: Seconds for a last look when the app is closed.
LAST_LOOK = 2.0

OutboxOpener: TypeAlias = Callable[[], Awaitable[Outbox]]
RingQueues: TypeAlias = Callable[[Sequence[str]], None]

log = logging.getLogger("goatherd.outbox")


class OutboxRelay:
    """Of one app, in one process. There may be any number of them; the store sees to it that they do not meet."""

    def __init__(self, open_outbox: OutboxOpener, post: OutboxPost) -> None:
        self._open_outbox = open_outbox
        self._post = post
        self._stays = False
        #: On the loop's clock.
        self._until = 0.0
        self._pause = IDLE
        self._kicked = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._bells: list[asyncio.TimerHandle] = []
        self._failing = False
        self._closing = False

    def stay(self) -> None:
        """Look all the time, until it is closed."""
        self._stays = True
        self._start()

    async def expect(self) -> Outbox:
        """Somebody is about to write into the outbox: open it, and look often for a while."""
        outbox = await self._open_outbox()
        self._until = asyncio.get_running_loop().time() + WHILE
        self._pause = SOON
        self._kicked.set()
        self._start()
        return outbox

    def ring_soon(self, ring: RingQueues, queues: Sequence[str]) -> None:
        """Somebody is about to put jobs of these queues into their lanes."""
        now = asyncio.get_running_loop().time()
        self._bells = [bell for bell in self._bells if bell.when() > now]
        self._bells += [asyncio.get_running_loop().call_later(after, ring, queues) for after in RINGS]

    async def close(self) -> None:
        """Look once more, if something may just have been committed, and end."""
        for bell in self._bells:
            bell.cancel()
        task, self._task = self._task, None
        if task is None:
            return
        # What is just being sent would be sent again.
        self._closing = True
        self._kicked.set()
        _, late = await asyncio.wait([task], timeout=LAST_LOOK)
        if late:
            task.cancel()
            await asyncio.wait([task])
        self._closing = False
        if asyncio.get_running_loop().time() < self._until and not self._failing:
            try:
                async with asyncio.timeout(LAST_LOOK):
                    await self._round()
            except (Unavailable, TimeoutError) as error:
                log.warning("Jobs in the outbox are left for workers to send: %s", error)

    def _start(self) -> None:
        if (self._task is None or self._task.done()) and not self._closing:
            self._task = apart(self._run(), "goatherd outbox relay")

    async def _run(self) -> None:
        while not self._closing and (self._stays or asyncio.get_running_loop().time() < self._until):
            try:
                await self._round()
            except Unavailable as error:
                self._failed(error)
            except GoatherdError as error:
                # Nothing that another try would change.
                log.error("The outbox is not emptied by this process: %s", error)  # noqa: TRY400 - it says what to do
                return
            except Exception as error:
                log.exception("The outbox could not be emptied; this is a fault of Goatherd")
                self._failed(error)
            else:
                self._succeeded()
            await self._rest()

    async def _round(self) -> None:
        """Send all that there is."""
        outbox = await self._open_outbox()
        loose, laned = await outbox.look()
        while loose:
            loose = await outbox.relay(BATCH, self._post.send_loose) == BATCH
        while laned:
            laned = await outbox.relay_lanes(BATCH, self._post.send_laned) > 0

    async def _rest(self) -> None:
        try:
            async with asyncio.timeout(self._pause):
                await self._kicked.wait()
                self._kicked.clear()
        except TimeoutError:
            # Time to look, as often as nothing happens.
            self._pause = min(2 * self._pause, AWAY if self._failing else IDLE)

    def _failed(self, error: Exception) -> None:
        if not self._failing:
            log.warning("The outbox cannot be emptied; trying until it can: %s", error)
        self._failing = True
        self._pause = max(self._pause, IDLE)

    def _succeeded(self) -> None:
        if self._failing:
            log.info("The outbox is emptied again")
            self._pause = IDLE
        self._failing = False
