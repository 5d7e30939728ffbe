"""A worker with listeners inside of a test, whose wants are in the test's hand."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from goatherd import Goatherd, Retry
from goatherd.engine.listeners import Listeners
from goatherd.model.listener import Standing
from goatherd.roles import working

#: Seconds that a step may take on a busy machine before the test fails.
PATIENCE = 30.0


class Wants:
    """A source that tells of itself: `wants.source` is the async generator function."""

    def __init__(self, *names: str | int) -> None:
        self._told: asyncio.Queue[Collection[str | int] | Exception] = asyncio.Queue()
        self.say(*names)
        self.begun = 0

    def say(self, *names: str | int) -> None:
        self._told.put_nowait(names)

    def fail(self, error: Exception) -> None:
        self._told.put_nowait(error)

    def give(self, names: Collection[str | int]) -> None:
        """Say something odd."""
        self._told.put_nowait(names)

    @property
    def source(self) -> Any:
        """The function, for names of either kind."""
        return self._tell

    async def _tell(self) -> AsyncIterator[Collection[str | int]]:
        self.begun += 1
        while True:
            told = await self._told.get()
            if isinstance(told, Exception):
                raise told
            yield told


class Doors:
    """A task whose jobs wait until they are let go on, and what was done."""

    def __init__(self, app: Goatherd, *names: int) -> None:
        self.wants = Wants(*names)
        self.done: Counter[tuple[int, int]] = Counter()
        self.begun: asyncio.Queue[tuple[int, int]] = asyncio.Queue()
        self.open = asyncio.Event()
        self.open.set()
        self._more = asyncio.Event()

        @app.listeners("match-{}", self.wants.source)
        async def join(setting: int, number: int) -> None:
            self.begun.put_nowait((setting, number))
            await self.open.wait()
            self.done[setting, number] += 1
            self._more.set()

        self.join = join

    async def saw(self, *done: tuple[int, int]) -> None:
        """Return when all of these are done."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not set(done) <= set(self.done):
                    self._more.clear()
                    await self._more.wait()
        except TimeoutError:
            raise AssertionError(f"{set(done) - set(self.done)} were not done") from None


def make(folder: Path) -> Goatherd:
    """An app with a file in that folder."""
    return Goatherd("arcade", broker_url=f"sqlite:///{folder}/jobs.db", retry=Retry(0))


@asynccontextmanager
async def listening(app: Goatherd, *, queues: Collection[str] | None = None) -> AsyncIterator["Hall"]:
    async with app, working(app, queues=queues):
        yield Hall(app.hearing[0])


class Hall:
    """The listeners of the worker."""

    def __init__(self, listeners: Listeners) -> None:
        self.listeners = listeners

    @property
    def queues(self) -> list[str]:
        return sorted(queue for group in self.listeners.groups for queue in group.listeners)

    def standing(self, queue: str) -> Standing:
        [found] = [group.listeners[queue].standing for group in self.listeners.groups if queue in group.listeners]
        return found

    async def when(self, wanted: Callable[[], bool]) -> None:
        """Return when that is so, which is looked at after each comparison."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not wanted():
                    await self.listeners.settled()
        except TimeoutError:
            raise AssertionError(f"listeners are {self.queues}, and {self.listeners.reasons}") from None

    async def listens_to(self, *queues: str) -> None:
        """Return when exactly these run."""
        wanted = sorted(queues)
        await self.when(
            lambda: self.queues == wanted and all(self.standing(each).condition == "running" for each in wanted)
        )
