"""Which queues operators have paused, for those who do not take from the broker."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from goatherd.errors import Unavailable

#: Seconds between two looks.
PAUSES_EVERY = 1.0

log = logging.getLogger("goatherd.worker")


class Pauses:
    """Looked at now and then."""

    def __init__(self, ask: Callable[[], Awaitable[frozenset[str]]]) -> None:
        self._ask = ask
        self._seen: frozenset[str] | None = None
        self._seen_at = 0.0
        self._asking: asyncio.Task[None] | None = None

    async def known(self) -> frozenset[str]:
        """Those that were paused when it was last looked; nothing is taken before it is known."""
        if self._seen is None:
            self._seen_at = asyncio.get_running_loop().time()
            await self._look()
        else:
            self.recent()
        return self._seen or frozenset()

    def recent(self) -> frozenset[str] | None:
        """The same without waiting: the answer comes from the broker, which may be away. None if it is not known."""
        now = asyncio.get_running_loop().time()
        due = self._seen is None or now - self._seen_at >= PAUSES_EVERY
        if due and (self._asking is None or self._asking.done()):
            self._seen_at = now
            self._asking = asyncio.create_task(self._look(), name="goatherd pauses")
        return self._seen

    async def stop(self) -> None:
        """Look no more."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait([self._asking], timeout=1.0)

    async def _look(self) -> None:
        try:
            self._seen = await self._ask()
        except Unavailable as error:
            log.warning("What is paused cannot be seen now: %s", error)
        except Exception:
            log.exception("What is paused cannot be seen; this is a fault of Goatherd")
