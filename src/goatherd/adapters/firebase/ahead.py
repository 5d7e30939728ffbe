"""Wait for the next thing of a stream for a while, and go on waiting for it later."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Generic, TypeVar

T = TypeVar("T")


class Ahead(Generic[T]):
    """The next thing is waited for by a task of its own, which is not disturbed when somebody's patience ends."""

    def __init__(self, stream: AsyncGenerator[T, None]) -> None:
        self._stream = stream
        self._next: asyncio.Task[T | None] | None = None
        self.ended = False

    async def next(self, patience: float) -> T | None:
        """None if it does not come in time, or if there is none any more; raises what the stream raises."""
        if self._next is None:
            self._next = asyncio.create_task(anext(self._stream, None), name="goatherd firebase stream")
        done, _ = await asyncio.wait([self._next], timeout=max(0.0, patience))
        if not done:
            return None
        coming, self._next = self._next, None
        found = coming.result()
        self.ended = found is None
        return found

    async def aclose(self) -> None:
        """Wait no more."""
        if self._next is not None:
            self._next.cancel()
            await asyncio.gather(self._next, return_exceptions=True)
            self._next = None
        await self._stream.aclose()
