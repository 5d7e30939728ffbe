"""The listener of one queue: how it stands, and when it is tried again."""

import asyncio
import logging

from goatherd.model.listener import QUARANTINE_AFTER, Condition, Standing
from goatherd.model.task import TaskDefinition
from goatherd.ports.broker import Consumption
from goatherd.ports.clock import Clock

#: Seconds before one that could not be started is tried again: at first, and at most.
SOONEST, LATEST = 1.0, 60.0

log = logging.getLogger("goatherd.listeners")


class QueueListener:
    """Wanted, and consuming as soon as that can be had; from then on it comes back by itself."""

    def __init__(self, task: TaskDefinition, clock: Clock) -> None:
        self.task = task
        self.queue = task.queue
        self._clock = clock
        self.consumption: Consumption | None = None
        self._own = Standing(condition="starting", since=clock.now())
        #: On the loop's clock.
        self.try_at = 0.0

    @property
    def standing(self) -> Standing:
        """How it stands."""
        return self._own if self.consumption is None else self.consumption.standing

    def begun(self, consumption: Consumption) -> None:
        """It consumes, or will as soon as it can: whoever ends it from now on, it comes back by itself."""
        if self._own.failures and consumption.standing.condition == "running":
            log.warning("Recovered listener: %s", self.queue)
        self.consumption = consumption

    def failed(self, why: str) -> None:
        """It could not be started; the pauses grow, and after some failures nobody hopes for the next try."""
        failures = self._own.failures + 1
        condition: Condition = "quarantined" if failures >= QUARANTINE_AFTER else "down"
        since = self._own.since if condition == self._own.condition else self._clock.now()
        self._own = Standing(condition=condition, since=since, failures=failures, why=why)
        self.try_at = asyncio.get_running_loop().time() + min(LATEST, SOONEST * 2.0 ** min(failures - 1, 10))
        if failures in (1, QUARANTINE_AFTER):
            state = "is in quarantine" if condition == "quarantined" else "cannot be started and is tried again"
            log.warning("Listener %s %s: %s", self.queue, state, why)

    def refused(self, why: str) -> None:
        """It may not be started, whatever is tried."""
        if self._own.why != why:
            log.error("Listener %s is not started: %s", self.queue, why)
            self._own = Standing(condition="quarantined", since=self._clock.now(), why=why)
        self.try_at = asyncio.get_running_loop().time() + LATEST

    async def restart(self) -> None:
        """Start anew, now."""
        self.try_at = 0.0
        if self.consumption is not None:
            await self.consumption.restart()

    async def stop(self) -> None:
        """Take nothing more; what was delivered is done and settled by the worker."""
        if self.consumption is not None:
            await self.consumption.stop()
            self.consumption = None
        self._own = Standing(condition="stopped", since=self._clock.now())
