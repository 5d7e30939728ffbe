"""What one process does for all beside its roles, once it is needed."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Literal, TypeAlias

from goatherd.errors import Unavailable

#: Take answers from queues that services share; note the ends of tracked jobs that the broker itself made dead letters.
Chore: TypeAlias = Literal["answers", "ends"]

log = logging.getLogger("goatherd.runs")


class Chores:
    """Of one open app; they last as long as the `life` that is given."""

    def __init__(self, open_events: Callable[[], Awaitable[object]], life: AsyncExitStack) -> None:
        self._open_events = open_events
        self._life = life
        self._seen_to: set[Chore] = set()
        self._beginning = asyncio.Lock()
        #: Does one of them until the block ends, once the app has said how.
        self.doing: Callable[[Chore], AbstractAsyncContextManager[object]] | None = None

    def add(self, chore: Chore) -> None:
        """It is done here from now on."""
        self._seen_to.add(chore)

    def discard(self, chore: Chore) -> None:
        """It is done here no more."""
        self._seen_to.discard(chore)

    async def see_to(self, chore: Chore) -> None:
        """Let this process do a chore, if it does not yet; whoever tracks jobs does."""
        if chore in self._seen_to or self.doing is None:
            return
        await self._open_events()
        async with self._beginning:
            if chore not in self._seen_to:
                await self._begin(self.doing(chore), chore)
                self._seen_to.add(chore)

    async def _begin(self, doing: AbstractAsyncContextManager[object], chore: Chore) -> None:
        try:
            await self._life.enter_async_context(doing)
        except Unavailable as error:
            if chore == "answers":
                raise
            log.warning("Jobs that the broker gives up may be seen as waiting until their events expire: %s", error)
