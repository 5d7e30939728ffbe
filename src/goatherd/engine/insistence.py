"""Ask a store until it answers."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from goatherd.errors import Unavailable

#: Seconds before a store that is away is tried again: at first, and at most.
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 2.0

T = TypeVar("T")


class Insistence:
    """Asks again while a store is away, and says so once; gives up when it is told to stop."""

    def __init__(self, what: str, log: logging.Logger) -> None:
        self._what = what
        self._log = log
        self.stopping = False

    async def until_answered(self, ask: Callable[[], Awaitable[T]]) -> T:
        """What it answers at last; raises Unavailable only when stopping."""
        pause, told = FIRST_PAUSE, False
        while True:
            try:
                answer = await ask()
            except Unavailable as error:
                if self.stopping:
                    raise
                if not told:
                    self._log.warning("%s cannot be reached; trying until they can: %s", self._what, error)
                    told = True
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
            else:
                if told:
                    self._log.info("%s can be reached again", self._what)
                return answer
