"""Note jobs before they are sent, as well as can be: no send fails, or waits long, for the sake of a note."""

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from typing import TypeVar

from goatherd.errors import Unavailable

T = TypeVar("T")

#: Seconds that a send waits for its note, and for which none is tried after one that could not be written.
NOTED_WITHIN, AWAY_FOR = 5.0, 5.0

log = logging.getLogger("goatherd.events")


class Noting:
    """Of one app in one process."""

    def __init__(self) -> None:
        self._try_at = -math.inf
        self._away = False

    async def attempt(self, note: Callable[[], Awaitable[T]]) -> T | None:
        """What comes of it; None while the store is away."""
        now = asyncio.get_running_loop().time
        if now() < self._try_at:
            return None
        try:
            async with asyncio.timeout(NOTED_WITHIN):
                noted = await note()
        except (Unavailable, TimeoutError) as error:
            self._try_at = now() + AWAY_FOR
            if not self._away:
                why = str(error) or f"the store does not answer within {NOTED_WITHIN:g} s"
                log.warning("Jobs are sent without a note that they wait, and are noted when they start: %s", why)
            self._away = True
            return None
        if self._away:
            log.warning("Jobs are noted again before they are sent")
        self._away, self._try_at = False, -math.inf
        return noted
