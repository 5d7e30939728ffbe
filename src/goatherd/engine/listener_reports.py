"""Tell the records how the listeners of this process stand, and hear which of them somebody wants restarted."""

import asyncio
import logging
import os
import socket
import time
from collections.abc import Awaitable, Callable

from goatherd.engine.listeners import Listeners
from goatherd.errors import Unavailable
from goatherd.model.ids import new_id
from goatherd.model.listener import Standing
from goatherd.ports.listeners import ListenerRecords

#: Seconds between two reports when nothing changes, and at least between two when much does.
REPORT_EVERY, SOONEST = 10.0, 0.2
#: Seconds after which a process that was not heard of is forgotten.
ALIVE = 60.0
#: Seconds for the last word.
LAST_WORD = 2.0

log = logging.getLogger("goatherd.listeners")


class ListenerReports:
    """Of one worker. A store that is away does no harm to listening."""

    def __init__(self, listeners: Listeners, records: Callable[[], Awaitable[ListenerRecords]]) -> None:
        self._listeners = listeners
        self._open = records
        self._process = f"{socket.gethostname()}:{os.getpid()}:{new_id()[-8:]}"
        self._reported: dict[str, Standing] = {}
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._failing = False
        #: When the store last took a report; other than the loop's clock, this one goes on while the machine sleeps.
        self._heard = 0.0

    def start(self) -> None:
        """Begin to report."""
        self._listeners.on_change = self._changed.set
        self._task = asyncio.create_task(self._run(), name="goatherd listener reports")

    async def stop(self) -> None:
        """Say that all of them have ended."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        if self._failing or not self._reported:
            return
        try:
            async with asyncio.timeout(LAST_WORD):
                await (await self._open()).leave(self._process)
        except (Unavailable, TimeoutError) as error:
            log.info("That the listeners of this process have ended is seen after %g s: %s", ALIVE, error)

    async def _run(self) -> None:
        while True:
            self._changed.clear()
            try:
                await self._report()
                self._succeeded()
            except Exception as error:  # noqa: BLE001 - whatever it is, listening goes on, and so does this
                self._failed(error)
            await asyncio.sleep(SOONEST)
            try:
                async with asyncio.timeout(REPORT_EVERY):
                    await self._changed.wait()
            except TimeoutError:
                # Time to say that this process lives.
                continue

    async def _report(self) -> None:
        if time.time() - self._heard > ALIVE / 2:
            # We may have been taken for dead, and all that we wrote be gone.
            self._reported = {}
        rows = self._listeners.rows(self._process)
        now = {row.queue: row.standing for row in rows}
        news = [row for row in rows if self._reported.get(row.queue) != row.standing]
        gone = [queue for queue in self._reported if queue not in now]
        records = await self._open()
        restart = await records.report(self._process, news, gone, ALIVE)
        self._reported, self._heard = now, time.time()
        if restart:
            await self._listeners.restart(restart)

    def _failed(self, error: Exception) -> None:
        if not self._failing:
            unforeseen = None if isinstance(error, Unavailable) else error
            log.warning("How listeners stand cannot be noted; they go on: %s", error, exc_info=unforeseen)
        self._failing = True
        # It is not known what the store has.
        self._reported = {}

    def _succeeded(self) -> None:
        if self._failing:
            log.info("How listeners stand is noted again")
        self._failing = False
