"""The app's own preparations in a process that runs only plain functions."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager


class Lifespans:
    """Enters an app's lifespans on an event loop of their own, and leaves them at the end."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._entered = AsyncExitStack()
        self._apps: list[object] = []

    def enter(self, app: object, lifespans: Sequence[Callable[[], AsyncIterator[None]]]) -> None:
        """Once for each app; raises what a lifespan raises before its `yield`, and then tries again next time."""
        if any(known is app for known in self._apps):
            return
        self._loop.run_until_complete(self._enter(lifespans))
        self._apps.append(app)

    def leave(self) -> None:
        """What stands after the `yield`, last one first."""
        self._loop.run_until_complete(self._entered.aclose())
        self._loop.close()

    async def _enter(self, lifespans: Sequence[Callable[[], AsyncIterator[None]]]) -> None:
        async with AsyncExitStack() as entering:
            for lifespan in lifespans:
                await entering.enter_async_context(asynccontextmanager(lifespan)())
            self._entered.push_async_exit(entering.pop_all())
