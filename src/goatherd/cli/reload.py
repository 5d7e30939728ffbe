"""Run a worker in a child process and start it anew whenever a file changes."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Sequence

from goatherd.cli.children import Child, first_of, how_it_ended
from goatherd.cli.orders import heeded_signals
from goatherd.cli.watching import Watcher

#: Seconds that running jobs get before they are handed back; the next worker does them with the new code.
PATIENCE = 2.0
#: Seconds before a worker that died is started again.
PAUSE = 1.0

log = logging.getLogger("goatherd.dev")


class Reloader:
    """The parent of `goatherd dev`."""

    def __init__(self, arguments: Sequence[str], watcher: Watcher) -> None:
        self._arguments = arguments
        self._watcher = watcher
        self._child: Child | None = None
        self._stop = asyncio.Event()
        self._changed = False

    async def run(self) -> int:
        """Until a signal; returns the exit code."""
        for number in heeded_signals():
            asyncio.get_running_loop().add_signal_handler(number, self._signalled, number)
        while not self._stop.is_set():
            self._changed = False
            self._child = child = await Child.start(self._arguments)
            await first_of(child.ended(), self._change(), self._stop.wait())
            if self._stop.is_set() or self._changed:
                await self._end(child)
            else:
                await self._after_death(child)
        return 0

    async def _change(self) -> None:
        first, *others = await self._watcher.changed()
        more = f" and {len(others)} more" if others else ""
        log.info("%s%s changed: starting again", first, more)
        self._changed = True

    async def _after_death(self, child: Child) -> None:
        how = how_it_ended(await child.ended())
        if child.was_ready:
            log.error("The worker %s; another starts in %g s", how, PAUSE)
            await first_of(asyncio.sleep(PAUSE), self._stop.wait())
        else:
            log.warning("The worker could not start. It is tried again when a file changes")
            await first_of(self._change(), self._stop.wait())

    async def _end(self, child: Child) -> None:
        """Let running jobs end if they are quick; otherwise they are handed back."""
        child.stop()
        await first_of(child.ended(), asyncio.sleep(PATIENCE))
        child.hurry()
        await child.ended_or_killed(patience=0.0)

    def _signalled(self, number: signal.Signals) -> None:
        if not self._stop.is_set():
            log.info("Stopping (%s): running jobs get %g s to end", number.name, PATIENCE)
            self._stop.set()
        elif self._child is not None:
            self._child.hurry()
