"""Tell of ticks that were not fired in time, without a word for each of them."""

import asyncio
import logging

#: Seconds between two words about the same schedule.
TELL_EVERY = 60.0

log = logging.getLogger("goatherd.scheduler")


class MissedTicks:
    """As one process has seen them."""

    def __init__(self) -> None:
        #: By the name of a schedule: when it was told of, and the ticks since.
        self._told: dict[str, tuple[float, int]] = {}

    def note(self, schedule: str, ticks: int) -> None:
        """So many were missed."""
        now = asyncio.get_running_loop().time()
        at, before = self._told.get(schedule, (-TELL_EVERY, 0))
        if now - at < TELL_EVERY:
            self._told[schedule] = (at, before + ticks)
            return
        log.warning("%s was not fired in time (%d ticks)", schedule, before + ticks)
        # Those that were told of long ago and are well since are forgotten.
        self._told = {name: (at, ticks) for name, (at, ticks) in self._told.items() if ticks or now - at < TELL_EVERY}
        self._told[schedule] = (now, 0)
