"""Tell the records now and then how this process stands and what it has done."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from typing import Protocol

import msgspec

from goatherd.errors import GoatherdError
from goatherd.model.process import KEPT, ProcessReport, ProcessState
from goatherd.ports.processes import ProcessRecords

#: Reports that may fail, and seconds that the last may take, before a process is taken for dead.
MISSED, LEEWAY = 3, 5.0
#: What part of the time between two reports is left to chance, so that many processes do not report in one moment.
SPREAD = 0.1
#: Seconds at least between two reports, if there is news.
SOONEST = 0.2
#: Seconds for the last word.
LAST_WORD = 2.0
#: Seconds between two looks for what is too old, and rows that are forgotten at a time.
PRUNE_EVERY, BATCH = 300.0, 500

log = logging.getLogger("goatherd.reports")


class News(Protocol):
    """What is told."""

    async def state(self) -> ProcessState:
        """How the process stands now."""

    def report(self, state: ProcessState, number: int) -> ProcessReport:
        """The same with what happened since this was last called, which is not told again by itself."""


class Reporter:
    """Of one process. A store that is away does no harm: what happened meanwhile is told when it is back."""

    def __init__(self, records: Callable[[], Awaitable[ProcessRecords]], news: News, every: float) -> None:
        self._open = records
        self._news = news
        self._every = every
        self._alive = MISSED * every + LEEWAY
        self._number = 0
        #: Sent, but not known to have arrived.
        self._unheard: ProcessReport | None = None
        self._task: asyncio.Task[None] | None = None
        self._nudged = asyncio.Event()
        self._failing = False
        #: Whether the store could be opened when it was last tried.
        self._reached = False
        self._id = ""
        self._prune_at = 0.0

    def start(self) -> None:
        """Begin to report."""
        self._task = asyncio.create_task(self._run(), name="goatherd reporter")

    def nudge(self) -> None:
        """There is news: report soon."""
        self._nudged.set()

    async def stop(self) -> None:
        """Tell what is still untold, and that this process has ended. Idempotent."""
        task, self._task = self._task, None
        if task is None:
            return
        task.cancel()
        await asyncio.wait([task], timeout=LAST_WORD)
        if not self._id or (self._failing and not self._reached):
            return
        try:
            async with asyncio.timeout(LAST_WORD):
                records = await self._open()
                await self._report(records)
                await records.leave(self._id)
        except (GoatherdError, TimeoutError) as error:
            log.info("That this process has ended is seen after %g s: %s", self._alive, error)

    async def _run(self) -> None:
        while True:
            self._nudged.clear()
            try:
                records = await self._open()
                self._reached = True
                await self._report(records)
                await self._prune(records)
                self._succeeded()
            except Exception as error:  # noqa: BLE001 - whatever it is, work goes on, and so does this
                self._failed(error)
            await asyncio.sleep(SOONEST)
            pause = self._every * random.uniform(1 - SPREAD, 1 + SPREAD) - SOONEST
            try:
                async with asyncio.timeout(max(0.0, pause)):
                    await self._nudged.wait()
            except TimeoutError:
                # Time to say that this process lives.
                continue

    async def _report(self, records: ProcessRecords) -> None:
        state = await self._news.state()
        self._id = state.id
        if self._unheard is not None:
            # It has a number, so that what it counted is not counted twice if it had arrived.
            await records.report(msgspec.structs.replace(self._unheard, state=state), self._alive)
        self._number += 1
        self._unheard = self._news.report(state, self._number)
        await records.report(self._unheard, self._alive)
        self._unheard = None

    async def _prune(self, records: ProcessRecords) -> None:
        """Every process does it now and then, so that none is needed for it."""
        now = asyncio.get_running_loop().time()
        if now < self._prune_at:
            return
        dropped = await records.prune(KEPT, BATCH)
        # While there is more, it goes on with every report, in small batches.
        self._prune_at = now if dropped == BATCH else now + PRUNE_EVERY * random.uniform(0.5, 1.5)

    def _failed(self, error: Exception) -> None:
        if not self._failing:
            unforeseen = None if isinstance(error, GoatherdError) else error
            told = "How this process stands cannot be noted for operators; its work goes on: %s"
            log.warning(told, error, exc_info=unforeseen)
        self._failing, self._reached = True, False

    def _succeeded(self) -> None:
        if self._failing:
            log.info("How this process stands is noted again")
        self._failing = False
