"""Keep the leases of lanes alive while their heads are worked on, and notice when they are not."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from goatherd.errors import Unavailable
from goatherd.ports.lanes import Lanes

if TYPE_CHECKING:
    from goatherd.engine.lane_source import Held

#: Heartbeats for each lease.
BEATS = 3
#: Seconds that a store gets to answer, also where a lease is over by our clock: perhaps nobody wanted the lane.
LEAST = 1.0

log = logging.getLogger("goatherd.lanes")


class Heartbeat:
    """The heartbeat of one worker, for all that it holds."""

    def __init__(self, lanes: Lanes, lease: float, held: "Mapping[str, Held]", lost: "Callable[[Held], None]") -> None:
        self._lanes = lanes
        self._lease = lease
        self._held = held
        self._lost = lost
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to beat."""
        self._task = asyncio.create_task(self._run(), name="goatherd lane heartbeat")

    async def stop(self) -> None:
        """Beat no more."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _run(self) -> None:
        pause = self._lease / BEATS
        while True:
            await asyncio.sleep(pause)
            try:
                await self.beat()
                pause = self._lease / BEATS
            except (Unavailable, TimeoutError) as error:
                log.warning("The leases of %d lanes cannot be extended now: %s", len(self._held), error)
                pause = min(1.0, self._lease / BEATS / BEATS)
            except Exception:
                log.exception("The heartbeat of lanes failed; this is a fault of Goatherd")
            self._notice_those_that_ran_out()

    async def beat(self) -> None:
        """Ask for all leases anew, and notice those that are lost; raises Unavailable."""
        mine = list(self._held.values())
        if not mine:
            return
        loop = asyncio.get_running_loop()
        # A lease is counted from before it is asked for, so that it never ends later here than in the store.
        until = loop.time() + self._lease
        still_ours = await self._ask(mine, max(min(held.until for held in mine), loop.time() + LEAST))
        for held, ours in zip(mine, still_ours, strict=True):
            if ours:
                held.until = until
            elif self._held.get(held.claim.lane) is held:
                self._lost(held)

    async def _ask(self, mine: "Sequence[Held]", deadline: float) -> Sequence[bool]:
        """Wait for an answer until the first lease ends: then it is time to stop, not to wait."""
        try:
            async with asyncio.timeout_at(deadline):
                return await self._lanes.beat([held.claim.hold for held in mine], self._lease)
        except TimeoutError as error:
            raise Unavailable("the store of lanes did not answer before the first lease ended") from error

    def _notice_those_that_ran_out(self) -> None:
        now = asyncio.get_running_loop().time()
        for held in [each for each in self._held.values() if each.until <= now]:
            self._lost(held)
