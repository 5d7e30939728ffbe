"""How code that does not run on the event loop tells the watchers of its job."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from goatherd.engine.emitter import Voice
from goatherd.engine.said import size_of, word_of

#: Words that may be on their way to the loop before the thread waits for it to catch up.
AHEAD = 100
#: Seconds for which a thread waits for a loop that is busy.
PATIENCE = 30.0


class Teller(Protocol):
    """Takes what a plain function tells, in order; may block for a moment."""

    def progress(self, stage: str, percent: float | None, status: str, fields: Mapping[str, Any]) -> None:
        """A stage of the work."""

    def token(self, text: str, node: str) -> None:
        """A piece of the text."""


class FromThread:
    """Satisfies `Teller` for a function in a thread of the worker."""

    def __init__(self, emitter: Voice) -> None:
        self._emitter = emitter
        self._loop = emitter.loop
        self._told = 0

    def progress(self, stage: str, percent: float | None, status: str, fields: Mapping[str, Any]) -> None:
        self._wait_for(lambda: self._emitter.progress(stage, percent, status, fields))

    def token(self, text: str, node: str) -> None:
        self._told += 1
        size_of(text)
        node = word_of(node)
        if self._told % AHEAD == 0 or self._loop.is_closed():
            self._wait_for(lambda: self._emitter.token(text, node))
        else:
            self._loop.call_soon_threadsafe(self._emitter.token, text, node)

    def _wait_for(self, tell: Callable[[], None]) -> None:
        """Tell, and raise here what is wrong with it."""
        if self._loop.is_closed():
            # The worker has ended, and the attempt with it; nobody hears what this thread still tells.
            return

        async def on_the_loop() -> None:
            tell()
            await self._emitter.room()

        asyncio.run_coroutine_threadsafe(on_the_loop(), self._loop).result(PATIENCE)
