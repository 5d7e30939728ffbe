"""Start consumers, each when its time has come and a few at once, however many there are."""

import asyncio
import heapq
import logging
from itertools import count
from typing import Protocol

#: Consumers that are being started at once: one that takes long does not hold up the others.
AT_ONCE = 8
#: Seconds until one is tried again whose start met a fault of our own.
AFTER_OUR_FAULT = 60.0
#: Seconds that starts which are under way may take at the end.
LAST_WORDS = 2.0

log = logging.getLogger("goatherd.rabbitmq")


class Patient(Protocol):
    """Somebody who is to be started."""

    async def come_back(self) -> None:
        """Try; raises nothing, and asks for another try if one is needed."""


class Recovery:
    """One task for all of them, and none while there is nothing to do."""

    def __init__(self) -> None:
        self._due: list[tuple[float, int, Patient]] = []
        #: Which entry counts, for each that waits; others were replaced or taken back.
        self._entries: dict[Patient, int] = {}
        self._numbers = count()
        self._news = asyncio.Event()
        self._free = asyncio.Semaphore(AT_ONCE)
        self._task: asyncio.Task[None] | None = None
        self._trying: set[asyncio.Task[None]] = set()
        self._closed = False

    def later(self, patient: Patient, seconds: float) -> None:
        """Start it after so many seconds, whatever was arranged for it before."""
        if self._closed:
            return
        number = self._entries[patient] = next(self._numbers)
        heapq.heappush(self._due, (asyncio.get_running_loop().time() + seconds, number, patient))
        self._news.set()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="goatherd recovery of consumers")

    def forget(self, patient: Patient) -> None:
        """It is not to be started."""
        self._entries.pop(patient, None)

    def expects(self, patient: Patient) -> bool:
        """Whether it will be started."""
        return patient in self._entries

    async def close(self) -> None:
        """Start nothing more."""
        self._closed = True
        self._entries.clear()
        if self._trying:
            # To give one up in the middle would end its channel, with acks that are just on their way.
            await asyncio.wait(self._trying, timeout=LAST_WORDS)
        tasks = [task for task in (self._task, *self._trying) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while self._entries:
            self._news.clear()
            when, number, patient = self._due[0]
            if self._entries.get(patient) != number:
                heapq.heappop(self._due)
                continue
            wait = when - loop.time()
            if wait > 0:
                try:
                    async with asyncio.timeout(wait):
                        await self._news.wait()
                except TimeoutError:
                    pass  # Its time has come.
                continue
            await self._free.acquire()
            if self._entries.get(patient) != number:
                self._free.release()
                continue
            del self._entries[patient]
            task = asyncio.create_task(self._try(patient), name="goatherd start of a consumer")
            self._trying.add(task)
            task.add_done_callback(self._tried)
        self._due.clear()

    async def _try(self, patient: Patient) -> None:
        try:
            await patient.come_back()
        except Exception:
            log.exception("A consumer could not be started; this is a fault of Goatherd")
            self.later(patient, AFTER_OUR_FAULT)

    def _tried(self, task: asyncio.Task[None]) -> None:
        self._trying.discard(task)
        self._free.release()
