"""Look now and then, and have people told of what needs them."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Mapping

from goatherd.engine.alerts.shared_board import SharedBoard
from goatherd.engine.alerts.telling import DEADLINE, Tell, Telling
from goatherd.model.alert_board import Board, Notice, Outlook
from goatherd.model.alert_rules import Errand, Rules, claimed, judged, settled, without_hopeless

#: What part of the time between two looks is left to chance, so that many processes do not look in the same moment.
SPREAD = 0.1
#: Seconds for which what one process is telling is left to it: it may die.
HOLD = 2 * DEADLINE
#: Seconds that a look has to end when the process does.
LAST_WORDS = 5.0

log = logging.getLogger("goatherd.alerts")


class AlertWatch:
    """Of one process. There may be any number of them: what one tells is not told by another."""

    def __init__(
        self,
        board: SharedBoard,
        outlook: Callable[[], Awaitable[Outlook]],
        sinks: Mapping[str, Tell],
        rules: Rules,
        every: float,
    ) -> None:
        self._board = board
        self._outlook = outlook
        self._sinks = frozenset(sinks)
        self._telling = Telling(sinks)
        self._rules = rules
        self._every = every
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def troubles(self) -> Mapping[str, str | None]:
        """Why each of those who are to be told cannot be, by who they are; None if they can."""
        return {sink: self._telling.troubles.get(sink) for sink in self._rules.sinks}

    @property
    def open_alerts(self) -> int:
        """How many conditions last of which somebody was told, as this process last saw it."""
        return sum(notice.told is not None and notice.ended is None for notice in self._board.seen.notices)

    def start(self) -> None:
        """Look from now on."""
        self._task = asyncio.create_task(self._run(), name="goatherd alerts")

    async def stop(self) -> None:
        """Finish what is being told, and look no more. Idempotent."""
        self._stopping.set()
        task, self._task = self._task, None
        if task is not None:
            _, late = await asyncio.wait([task], timeout=LAST_WORDS)
            for each in late:
                # What was not told is told by another scheduler, or by the next.
                each.cancel()
                await asyncio.wait([each], timeout=1.0)
        await self._board.close()

    async def round(self) -> None:
        """Look once, and tell what is to be told."""
        outlook = await self._outlook()

        def decide(board: Board, now: float) -> tuple[Board, tuple[list[Errand], list[Notice]]]:
            board, hopeless = without_hopeless(judged(board, outlook, now, self._rules), now)
            board, errands = claimed(board, now, HOLD, self._sinks)
            return board, (errands, hopeless)

        errands, hopeless = await self._board.change(decide)
        for notice in hopeless:
            log.error("Nobody could tell %s for very long; it is given up: %s", ", ".join(notice.owed), notice.alert)
        if errands:
            told = await self._telling.tell_all(errands)
            await self._board.change(lambda board, now: (settled(board, errands, told, now), None))

    async def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                await self.round()
            except Exception:
                log.exception("Alerts could not be told; this is a fault of Goatherd")
            try:
                async with asyncio.timeout(self._every * random.uniform(1 - SPREAD, 1 + SPREAD)):
                    await self._stopping.wait()
            except TimeoutError:
                # Time to look.
                continue
