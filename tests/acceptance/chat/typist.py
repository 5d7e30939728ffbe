"""A chat-worker whose answers are known: numbered words, each with the moment at which it was written.

All answers begin together, when as many were asked for as CROWD_ANSWERS says.
"""

import asyncio
import os
import random
import time
from collections.abc import AsyncGenerator

from examples.chat.herd import chat
from examples.chat.worker import service
from examples.chat.worker.providers.provider import Provider, Question

__all__ = ["chat"]

ANSWERS, TOKENS = int(os.environ["CROWD_ANSWERS"]), int(os.environ["CROWD_TOKENS"])
#: Seconds between two words of one answer.
PAUSE = float(os.environ["CROWD_PAUSE"])


class Typist:
    """Satisfies `Provider`."""

    name = "typist"

    def __init__(self) -> None:
        self._asked = 0
        self._all_asked = asyncio.Event()

    async def see(self, image_url: str, model: str | None = None) -> str:
        raise NotImplementedError

    async def answer(self, question: Question) -> AsyncGenerator[str, None]:
        self._asked += 1
        if self._asked == ANSWERS:
            self._all_asked.set()
        await self._all_asked.wait()
        # People do not type in step.
        began = time.monotonic() + random.uniform(0, PAUSE)
        for number in range(TOKENS):
            await asyncio.sleep(began + number * PAUSE - time.monotonic())
            yield f"{number}:{time.monotonic_ns()} "

    async def close(self) -> None: ...


typist = Typist()


def provider(model: str | None) -> Provider:
    """Whatever the user wants."""
    return typist


service.staff.provider = provider  # type: ignore[method-assign]
