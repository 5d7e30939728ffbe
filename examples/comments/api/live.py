"""What changes, as it changes: one stream (SSE) for each open page.

What workers write is in the database, so that is where news come from: one task looks for newer versions while somebody
watches. A page gets all posts first, and then what is newer than what it has; a connection that was lost begins anew,
and nothing that was committed can be missed or come in another order.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from examples.comments.api.views import changed_posts, state_of_all
from examples.running.database.database import Database, DatabaseAway, Row

#: Seconds between two looks, and after which a page is told that nothing has changed.
EVERY, KEEPALIVE = 0.1, 15.0
#: Comments of a post that a page gets at first, the latest.
MOST = 300

log = logging.getLogger("comments.live")


class Live:
    """All streams of this program."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._watchers = 0
        self._ended = False
        self._news = asyncio.Condition()
        self._number = 0

    @asynccontextmanager
    async def looking(self) -> AsyncIterator[None]:
        """Look for news until the block ends."""
        task = asyncio.create_task(self._look(), name="news for open pages")
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def end(self) -> None:
        """End all streams: whoever watches comes back when the program is there again."""
        self._ended = True
        await self._tell()

    async def stream(self) -> AsyncIterator[bytes]:
        """What one page is told."""
        known: dict[int, int] = {}
        self._watchers += 1
        try:
            yield b"retry: 1000\n\n"
            while not self._ended:
                number = self._number
                for post in await changed_posts(self._database, known, MOST):
                    known[post.id] = post.version
                    yield b"event: post\ndata: " + post.model_dump_json().encode() + b"\n\n"
                if not await self._news_after(number):
                    yield b": still there\n\n"
        except DatabaseAway as error:
            log.warning("A page is not told more for now: %s", error)
        finally:
            self._watchers -= 1

    async def _news_after(self, number: int) -> bool:
        try:
            async with asyncio.timeout(KEEPALIVE), self._news:
                await self._news.wait_for(lambda: self._number != number)
        except TimeoutError:
            return False
        return True

    async def _look(self) -> None:
        seen: Row = ()
        while True:
            if self._watchers:
                try:
                    seen = await self._tell_news(seen)
                except DatabaseAway as error:
                    log.warning("Open pages are not told anything for now: %s", error)
            await asyncio.sleep(EVERY)

    async def _tell_news(self, seen: Row) -> Row:
        now = await state_of_all(self._database)
        if now != seen:
            await self._tell()
        return now

    async def _tell(self) -> None:
        async with self._news:
            self._number += 1
            self._news.notify_all()
