"""Begin what has fired. One that cannot be begun keeps none of the others waiting."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Protocol

from goatherd.errors import Unavailable
from goatherd.model.schedule import Firing, FiringEnd
from goatherd.ports.schedules import Schedules

#: Seconds after which one that could not be begun is tried again: at first, and at most.
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 5.0
#: Seconds for which one is left to programs that know its task; then it has failed, or there would be more and more.
UNKNOWN_FOR = 300.0

log = logging.getLogger("goatherd.scheduler")


class Begin(Protocol):
    """Begins the run of a firing, or sends its job; may be repeated."""

    async def __call__(self, firing: Firing) -> bool:
        """True if that was all there was to do. Raises Unavailable; LookupError where this program does not know it."""


class Beginnings:
    """Of one process."""

    def __init__(self, schedules: Schedules, begin: Begin) -> None:
        self._schedules = schedules
        self.begin = begin
        #: By the id of a firing: since when it was seen that this program does not know its task.
        self._unknown: dict[str, float] = {}
        #: By the id of a firing that could not be begun: when it is tried again, and the pause before that.
        self._put_off: dict[str, tuple[float, float]] = {}
        #: Schedules of whose trouble was told.
        self._told: frozenset[str] = frozenset()

    @property
    def in_the_way(self) -> int:
        """How many are looked at again and again, and others stand behind them."""
        return len(self._unknown) + len(self._put_off)

    async def begin_all(self, firings: Sequence[Firing]) -> None:
        """Begin those that can be; raises Unavailable if that cannot be put on record."""
        now = asyncio.get_running_loop().time()
        ready = [firing for firing in firings if self._put_off.get(firing.id, (0.0, 0.0))[0] <= now]
        outcomes = await asyncio.gather(*(self.begin(firing) for firing in ready), return_exceptions=True)
        by_id = {firing.id: outcome for firing, outcome in zip(ready, outcomes, strict=True)}
        if open_now := [id for id, outcome in by_id.items() if outcome is False]:
            await self._schedules.begun(open_now)
        if done := [id for id, outcome in by_id.items() if outcome is True]:
            await self._schedules.begun(done, ended=True)
        troubles = [(firing, by_id[firing.id]) for firing in ready if isinstance(by_id[firing.id], BaseException)]
        self._note([firing for firing in firings if firing.id not in by_id], troubles)
        await self._give_up(now)

    def _note(self, put_off: Sequence[Firing], troubles: Sequence[tuple[Firing, bool | BaseException]]) -> None:
        """Remember what could not be begun, and nothing else."""
        now = asyncio.get_running_loop().time()
        pauses = {firing.id: self._put_off[firing.id] for firing in put_off}
        unknown: dict[str, float] = {}
        for firing, error in troubles:
            if isinstance(error, LookupError):
                unknown[firing.id] = self._unknown.get(firing.id, now)
            elif isinstance(error, Exception):
                pause = min(2 * self._put_off.get(firing.id, (0.0, FIRST_PAUSE / 2))[1], LONGEST_PAUSE)
                pauses[firing.id] = (now + pause, pause)
            elif isinstance(error, BaseException):
                raise error
        for firing, error in troubles:
            if firing.schedule not in self._told:
                self._told |= {firing.schedule}
                _tell(firing, error)
        self._told &= {firing.schedule for firing in put_off} | {firing.schedule for firing, _ in troubles}
        self._unknown, self._put_off = unknown, pauses

    async def _give_up(self, now: float) -> None:
        lost = [id for id, since in self._unknown.items() if now - since > UNKNOWN_FOR]
        if lost:
            await self._schedules.ended([FiringEnd(id=id, state="failed") for id in lost])
            log.error("Given up, for no scheduler knew their tasks for %d s: %s", UNKNOWN_FOR, ", ".join(lost[:20]))


def _tell(firing: Firing, error: object) -> None:
    if isinstance(error, LookupError):
        log.warning("%s is due, but this program cannot fire it: %s", firing.schedule, error)
    elif isinstance(error, Unavailable):
        log.warning("%s is due, but cannot be begun now; trying until it can be: %s", firing.schedule, error)
    elif isinstance(error, Exception):
        log.error("%s is due, but cannot be begun; it is tried again", firing.schedule, exc_info=error)
