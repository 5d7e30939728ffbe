"""Keep several worker processes alive until told to stop."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from goatherd.cli.children import Child, first_of, how_it_ended
from goatherd.cli.health import family_page
from goatherd.cli.orders import heeded_signals

if TYPE_CHECKING:
    from goatherd.web.family_page import Family

#: Seconds before a dead worker is replaced: at first, and at most. Doubled while it keeps dying young.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
#: Seconds of life after which a death is no longer taken for a failed start.
OLD_ENOUGH = 60.0

log = logging.getLogger("goatherd.parent")


class Supervisor:
    """The parent of `--processes N`."""

    def __init__(self, arguments: Sequence[str], processes: int, family: Family | None = None) -> None:
        self._arguments = arguments
        self._processes = processes
        #: Where this process and its children tell how they are.
        self._family = family
        self._children: set[Child] = set()
        self._stop = asyncio.Event()
        self._badly_ended = False

    async def run(self) -> int:
        """Run the workers until a signal; returns the exit code."""
        for number in heeded_signals():
            asyncio.get_running_loop().add_signal_handler(number, self._signalled, number)
        with family_page(self._family):
            return await self._look_after_all()

    async def _look_after_all(self) -> int:
        # The first starts alone: what is wrong with the app is then told once, not by every process.
        first = await self._start(1)
        if not await self._comes_up(first):
            code = await self._end_of(first)
            return 0 if self._stop.is_set() else max(code, 1)
        log.info("%d worker processes; this one (pid %d) looks after them", self._processes, os.getpid())
        async with asyncio.TaskGroup() as group:
            for place in range(1, self._processes + 1):
                keeper = self._keep(place, first if place == 1 else None)
                group.create_task(keeper, name=f"keep worker {place}")
        log.info("All worker processes have ended")
        return 1 if self._badly_ended else 0

    async def _keep(self, place: int, child: Child | None) -> None:
        """Have one worker in this place at any time until told to stop."""
        pause = SHORTEST_PAUSE
        while child is not None or not self._stop.is_set():
            born = time.monotonic()
            end = await self._life(place, child)
            if self._stop.is_set():
                return
            pause = SHORTEST_PAUSE if time.monotonic() - born > OLD_ENOUGH else pause
            log.error("%s; another starts in %g s", end, pause)
            await first_of(asyncio.sleep(pause), self._stop.wait())
            pause = min(LONGEST_PAUSE, pause * 2)
            child = None

    async def _life(self, place: int, child: Child | None) -> str:
        """One worker from its start to its end; returns how it ended."""
        try:
            child = child or await self._start(place)
        except OSError as error:
            return f"No worker could be started ({error})"
        code = await self._end_of(child)
        self._badly_ended |= self._stop.is_set() and code not in (0, -signal.SIGTERM)
        return f"Worker {child.pid} {how_it_ended(code)}"

    async def _start(self, place: int) -> Child:
        health = [] if self._family is None else self._family.as_arguments(place)
        child = await Child.start([*self._arguments, *health])
        self._children.add(child)
        if self._stop.is_set():
            child.stop()
        return child

    async def _comes_up(self, child: Child) -> bool:
        """True when it takes jobs; false when it ends, or when we are told to stop, before that."""
        await first_of(child.ready(), child.ended(), self._stop.wait())
        return child.was_ready

    async def _end_of(self, child: Child) -> int:
        await first_of(child.ended(), self._stop.wait())
        code = await child.ended_or_killed() if self._stop.is_set() else await child.ended()
        self._children.discard(child)
        return code

    def _signalled(self, number: signal.Signals) -> None:
        if self._stop.is_set():
            log.warning("Hurrying (%s again): the workers hand back what they run", number.name)
            for child in self._children:
                child.hurry()
            return
        log.info("Stopping (%s): the workers finish what they run. A second signal hurries them", number.name)
        self._stop.set()
        for child in self._children:
            child.stop()
