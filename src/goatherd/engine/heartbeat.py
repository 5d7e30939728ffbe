"""Keep leases alive while what is leased is worked on, and notice when they are lost."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from goatherd.errors import Unavailable

#: Heartbeats for each lease.
BEATS = 3
#: Seconds that a store gets to answer, also where a lease is over by our clock: perhaps nobody wanted what is leased.
LEAST = 1.0


class Leased(Protocol):
    """Something that this worker has for a while."""

    #: On the loop's clock: others may have it afterwards.
    until: float

    @property
    def name(self) -> Any:
        """What it is kept under."""

    @property
    def hold(self) -> Any:
        """What the store wants to see."""


L = TypeVar("L", bound=Leased)
#: Asks the store for leases of so many seconds from now, and tells which are ours still.
Beat = Callable[[Sequence[Any], float], Awaitable[Sequence[bool]]]


class Heartbeat(Generic[L]):
    """The heartbeat of one worker, for all that it holds."""

    def __init__(
        self,
        what: str,
        logger: logging.Logger,
        beat: Beat,
        lease: float,
        held: Mapping[Any, L],
        lost: Callable[[L], None],
    ) -> None:
        self._what = what
        self._log = logger
        self._beat = beat
        self._lease = lease
        self._held = held
        self._lost = lost
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to beat."""
        self._task = asyncio.create_task(self._run(), name=f"goatherd heartbeat of {self._what}")

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
                self._log.warning("The leases of %d %s cannot be extended now: %s", len(self._held), self._what, error)
                pause = min(1.0, self._lease / BEATS / BEATS)
            except Exception:  # noqa: BLE001 - whatever it was, what is held must be kept
                self._log.exception("The heartbeat of %s failed; this is a fault of Goatherd", self._what)
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
            elif self._held.get(held.name) is held:
                self._lost(held)

    async def _ask(self, mine: Sequence[L], deadline: float) -> Sequence[bool]:
        """Wait for an answer until the first lease ends: then it is time to stop, not to wait."""
        try:
            async with asyncio.timeout_at(deadline):
                return await self._beat([held.hold for held in mine], self._lease)
        except TimeoutError as error:
            raise Unavailable(f"the store of {self._what} did not answer before the first lease ended") from error

    def _notice_those_that_ran_out(self) -> None:
        now = asyncio.get_running_loop().time()
        for held in [each for each in self._held.values() if each.until <= now]:
            self._lost(held)
