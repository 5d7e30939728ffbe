"""For which names there should be listeners now, as one source tells it."""

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine, Mapping
from typing import Any

from goatherd.engine.name_source import Ask, Listened, Tell
from goatherd.model.task import TaskDefinition

#: Seconds that a source may take to answer.
PATIENCE = 30.0
#: Seconds before a source that failed is asked again: at first, and at most.
SOONEST, LATEST = 1.0, 60.0

log = logging.getLogger("goatherd.listeners")


class WantedNames:
    """Of one task. A source that fails leaves what it said before in force."""

    def __init__(self, listened: Listened, changed: Callable[[], None]) -> None:
        self._listened = listened
        self._changed = changed
        self._task: asyncio.Task[None] | None = None
        self._names: frozenset[Any] | None = None
        #: The wanted queues, each with the task as it is done there; None until the source has answered once.
        self.queues: Mapping[str, TaskDefinition] | None = None
        #: Names that cannot be listened to, with the reason.
        self.refused: Mapping[str, str] = {}
        #: Why the source does not tell; empty if it does.
        self.failing = ""
        self._failures = 0

    def start(self) -> None:
        """Begin to ask."""
        source, name = self._listened.source, f"goatherd names of {self._listened.pattern}"
        if source.fixed is not None:
            self._take(source.fixed)
        elif source.ask is not None:
            self._task = asyncio.create_task(self._keep_asking(source.ask, source.every), name=name)
        elif source.tell is not None:
            self._task = asyncio.create_task(self._keep_hearing(source.tell, source.every), name=name)

    async def stop(self) -> None:
        """Ask no more."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def _keep_asking(self, ask: Ask, every: float) -> None:
        while True:
            await self._try(lambda: self._ask(ask))
            await asyncio.sleep(self._pause() if self.failing else every)

    async def _keep_hearing(self, tell: Tell, every: float) -> None:
        while True:
            await self._try(lambda: self._hear(tell))
            await asyncio.sleep(self._pause() if self.failing else every)

    async def _try(self, hear: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Whatever the user's code raises, it is asked again."""
        try:
            await hear()
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            # Nobody wants us to stop: something that the source waited for was cancelled.
            self._failed(error, _told(error))
        except Exception as error:  # noqa: BLE001 - it is told
            self._failed(error, _told(error))

    async def _ask(self, ask: Ask) -> None:
        try:
            async with asyncio.timeout(PATIENCE) as patience:
                names = await ask()
        except TimeoutError as error:
            if patience.expired():
                raise TimeoutError(f"it did not answer within {PATIENCE:g} s") from error
            raise
        self._take(names)

    async def _hear(self, tell: Tell) -> None:
        telling = tell()
        try:
            async for names in telling:
                self._take(names)
        finally:
            if (close := getattr(telling, "aclose", None)) is not None:
                async with asyncio.timeout(PATIENCE):
                    await close()

    def _take(self, names: Collection[str | int]) -> None:
        """All names that are wanted from now on; raises TypeError for what is no collection of names."""
        if isinstance(names, str | bytes | Mapping) or not isinstance(names, Collection):
            raise TypeError(f"it gave {names!r}, which is no collection of names")
        try:
            wanted = frozenset(names)
        except TypeError as error:
            raise TypeError(f"it gave something that is no name: {error}") from error
        if self.failing:
            log.info("The source of %s tells again what is wanted", self._listened.pattern)
        self.failing, self._failures = "", 0
        if wanted == self._names:
            return
        self._names = wanted
        self._read(wanted)
        self._changed()

    def _read(self, names: Collection[Any]) -> None:
        known = {} if self.queues is None else self.queues
        queues: dict[str, TaskDefinition] = {}
        refused: dict[str, str] = {}
        pattern = self._listened.task.family
        assert pattern is not None, "it has many queues"
        for name in names:
            try:
                queue = pattern.pattern.queue_of(name)
                queues[queue] = known[queue] if queue in known else self._listened.task.for_name(name)
            except ValueError as error:
                refused[repr(name)] = str(error)
        for told in sorted(refused.keys() - self.refused.keys()):
            log.error("There is no listener for the name %s: %s", told, refused[told])
        self.queues, self.refused = queues, refused

    def _failed(self, error: BaseException, why: str) -> None:
        if not self.failing:
            log.error(
                "The source of %s does not tell what is wanted, so it stays as it was: %s",
                self._listened.pattern,
                why,
                exc_info=error,
            )
        self.failing = why
        self._failures += 1
        self._changed()

    def _pause(self) -> float:
        return float(min(LATEST, SOONEST * 2.0 ** min(self._failures - 1, 10)))


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
