"""What `goatherd top` looks at again and again: each source for itself, so that none waits for another."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, Generic, TypeAlias, TypeVar

from goatherd.errors import GoatherdError

T = TypeVar("T")
Look: TypeAlias = Callable[[], Awaitable[T]]

#: Seconds between two looks, and seconds that one may take.
EVERY, PATIENCE = 1.0, 5.0


class Source(Generic[T]):
    """The last that was seen, and why nothing newer is."""

    def __init__(self, name: str, opened: Callable[[], AbstractAsyncContextManager[Look[T]]]) -> None:
        self.name = name
        self._opened = opened
        self.seen: T | None = None
        #: When that was, by the monotonic clock.
        self.seen_at: float | None = None
        self.trouble: str | None = None
        self.looks = 0
        self._tried = asyncio.Event()

    @property
    def age(self) -> float | None:
        """Seconds since something was seen; None if it never was."""
        return None if self.seen_at is None else time.monotonic() - self.seen_at

    async def tried(self, looks: int = 1) -> None:
        """Wait until it was seen so often, or could not be seen."""
        while self.trouble is None and self.looks < looks:
            self._tried.clear()
            await self._tried.wait()

    async def run(self) -> None:
        """Look until it is cancelled; what fails is opened anew."""
        while True:
            try:
                await self._look_on()
            except (GoatherdError, TimeoutError):
                # It was noted where it happened, for to close what is away may take a while.
                await asyncio.sleep(EVERY)

    async def _look_on(self) -> None:
        async with AsyncExitStack() as life:
            try:
                async with asyncio.timeout(PATIENCE):
                    look = await life.enter_async_context(self._opened())
                while True:
                    began = time.monotonic()
                    async with asyncio.timeout(PATIENCE):
                        seen = await look()
                    self._note(seen)
                    # A server that is slow to answer is not kept busy by who watches it.
                    await asyncio.sleep(max(EVERY, time.monotonic() - began))
            except (GoatherdError, TimeoutError) as error:
                self.trouble = f"no answer within {PATIENCE:g} s" if isinstance(error, TimeoutError) else str(error)
                self._tried.set()
                raise

    def _note(self, seen: T) -> None:
        self.seen, self.seen_at, self.trouble = seen, time.monotonic(), None
        self.looks += 1
        self._tried.set()


@asynccontextmanager
async def running(sources: Sequence[Source[Any]]) -> AsyncIterator[None]:
    """Look with all of them until the block ends."""
    tasks = [asyncio.create_task(each.run(), name=f"goatherd top {each.name}") for each in sources]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        for task, ended in zip(tasks, await asyncio.gather(*tasks, return_exceptions=True), strict=True):
            # What cannot be closed in good order is let go, for nothing was written.
            if isinstance(ended, BaseException) and not isinstance(
                ended, asyncio.CancelledError | GoatherdError | TimeoutError
            ):
                raise RuntimeError(f"{task.get_name()} ended") from ended
