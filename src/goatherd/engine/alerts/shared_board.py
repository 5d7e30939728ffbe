"""The board that all processes share; while it is away, one of our own: rather is an alert told twice than never."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeAlias, TypeVar

from goatherd.engine.alerts.memory import MemoryBoard
from goatherd.errors import GoatherdError, Unavailable
from goatherd.model.alert_board import Board, joined
from goatherd.ports.alerts import AlertBoard
from goatherd.ports.clock import Clock

#: How often a decision is made anew because somebody else was heard first.
TRIES = 10

BoardOpener: TypeAlias = Callable[[], Awaitable[AlertBoard]]

_T = TypeVar("_T")

log = logging.getLogger("goatherd.alerts")


class SharedBoard:
    """Changed by one decision at a time."""

    def __init__(self, opener: BoardOpener, clock: Clock) -> None:
        self._opener = opener
        self._clock = clock
        self._board: AlertBoard | None = None
        #: There while the shared one is away.
        self._own: MemoryBoard | None = None
        #: As it was when this process last saw it.
        self.seen = Board()

    async def change(self, decide: Callable[[Board, float], tuple[Board, _T]]) -> _T:
        """Put on the board what was decided by it and the time; gives what else was decided."""
        try:
            if self._board is None:
                self._board = await self._opener()
            # What this process told on its own, others have to know.
            own = None if self._own is None else Board.read((await self._own.look()).text)
            decided = await self._change(self._board, decide, own)
        except GoatherdError as error:
            return await self._change_own(decide, error)
        if self._own is not None:
            log.info("Schedulers share again which alerts were told")
            self._own = None
        return decided

    async def close(self) -> None:
        """Let go of the store."""
        board, self._board = self._board, None
        if board is not None:
            await board.close()

    async def _change_own(self, decide: Callable[[Board, float], tuple[Board, _T]], error: GoatherdError) -> _T:
        if self._own is None:
            log.warning("Each scheduler tells alerts for itself now, so they may be told more than once: %s", error)
            self._own = MemoryBoard(self._clock)
            return await self._change(self._own, decide, self.seen)
        return await self._change(self._own, decide, None)

    async def _change(
        self, board: AlertBoard, decide: Callable[[Board, float], tuple[Board, _T]], other: Board | None
    ) -> _T:
        for attempt in range(TRIES):
            look = await board.look()
            before = Board.read(look.text)
            after, decided = decide(before if other is None else joined(before, other), look.now)
            if after == before or await board.write(look.rev, after.written()):
                self.seen = after
                return decided
            await asyncio.sleep(0.01 * attempt)
        raise Unavailable("Others write to the board of alerts all the time. It is tried again soon.")
