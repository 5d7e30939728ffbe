"""Fire what is due. Every scheduler process does it, and each tick fires once.

Whoever looks first and is heard puts the firing on record; its run is begun under an id that follows from the tick, so
that it may be begun by several, and by one after another has died.
"""

import asyncio
import logging
from collections.abc import Sequence

from goatherd.engine.beginnings import Begin, Beginnings
from goatherd.engine.missed_ticks import MissedTicks
from goatherd.engine.tick_counts import TickCounts
from goatherd.errors import DefinitionError, Unavailable
from goatherd.model.schedule import Decision, Declared, Firing, ScheduleLook
from goatherd.model.tick_plan import plan
from goatherd.ports.schedules import Schedules

#: Seconds between two looks at what others may have changed.
LOOK_EVERY = 1.0
#: Seconds between two signs of life, and those for which one counts.
DECLARE_EVERY, ALIVE = 10.0, 60.0
#: Seconds for which a firing is left to whoever put it on record.
THEIRS = 1.0
#: Schedules and firings that are seen to in one look.
BATCH = 500
#: Seconds between two looks at what is so old that it is forgotten.
FORGET_EVERY = 600.0
#: Seconds before a store that is away is tried again: at first, and at most.
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 5.0
#: Seconds that the last firing has to be begun when the process ends.
LAST_WORDS = 5.0

log = logging.getLogger("goatherd.scheduler")


class Ticker:
    """Of one app, in one process."""

    def __init__(self, schedules: Schedules, declared: Sequence[Declared], begin: Begin, kept_for: float) -> None:
        self._schedules = schedules
        self._declared = declared
        self._names = [each.name for each in declared]
        self.beginnings = Beginnings(schedules, begin)
        self._kept_for = kept_for
        #: Ids of firings that this process put on record.
        self._ours: set[str] = set()
        #: Schedules that are due, and cannot be followed on this machine, and why.
        self.refused: dict[str, str] = {}
        self._missed = MissedTicks()
        self.counts = TickCounts(self._names)
        #: What keeps it from looking; None if nothing does.
        self.trouble: str | None = None
        self._needed = asyncio.Event()
        self._stopping = False
        self._declare_at = 0.0
        self._forget_at = 0.0
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to tick; raises Unavailable if the store is away now."""
        await self.declare()
        self._task = asyncio.create_task(self._run(), name="goatherd ticker")

    def nudge(self) -> None:
        """Something may be due now."""
        self._needed.set()

    async def stop(self) -> None:
        """Finish what is being fired, and tick no more."""
        self._stopping = True
        self._needed.set()
        task, self._task = self._task, None
        if task is not None:
            _, late = await asyncio.wait([task], timeout=LAST_WORDS)
            for each in late:
                each.cancel()
                await asyncio.wait([each], timeout=1.0)

    async def _run(self) -> None:
        pause = 0.0
        while not self._stopping:
            try:
                due = await self.round()
                rest = LOOK_EVERY if due is None else min(due, LOOK_EVERY)
                if pause:
                    log.info("Schedules can be reached again")
                pause, self.trouble = 0.0, None
            except Unavailable as error:
                self.trouble = str(error)
                if not pause:
                    log.warning("Nothing is fired now; trying until it can be: %s", error)
                rest = pause = min(2 * pause or FIRST_PAUSE, LONGEST_PAUSE)
            except Exception as error:
                self.trouble = str(error) or type(error).__name__
                log.exception("What is due could not be fired; this is a fault of Goatherd")
                rest = pause = LONGEST_PAUSE
            await self._rest(rest)

    async def _rest(self, seconds: float) -> None:
        if self._stopping:
            return
        try:
            async with asyncio.timeout(seconds):
                await self._needed.wait()
        except TimeoutError:
            # Time to look.
            return
        finally:
            self._needed.clear()

    async def round(self) -> float | None:
        """Fire what is due; the seconds until something is again, as far as that is known, which may be 0."""
        now = asyncio.get_running_loop().time()
        if now >= self._declare_at:
            await self.declare()
        look = await self._look()
        if look.due:
            await self._decide(look)
            look = await self._look()
        # Those of them that are not due any more were followed by another.
        self.refused = {due.name: self.refused[due.name] for due in look.due if due.name in self.refused}
        # What is not due any more was begun, by whomever.
        self._ours.intersection_update([firing.id for firing in look.firings])
        await self.beginnings.begin_all([firing for firing in look.firings if self._is_for_us(firing, look.now)])
        if now >= self._forget_at:
            forgotten = await self._schedules.forget(self._kept_for, BATCH)
            self._forget_at = now + (FORGET_EVERY if forgotten < BATCH else 0.0)
        if any(due.name not in self.refused for due in look.due):
            # Others were heard, or there are more.
            return 0.0
        return None if look.next_at is None else max(0.0, look.next_at - look.now)

    async def _look(self) -> ScheduleLook:
        # Behind what cannot be done here there may be something that can.
        return await self._schedules.look(self._names, BATCH + len(self.refused) + self.beginnings.in_the_way)

    async def declare(self) -> None:
        """Say which schedules this process has."""
        await self._schedules.declare(self._declared, ALIVE)
        self._declare_at = asyncio.get_running_loop().time() + DECLARE_EVERY

    async def _decide(self, look: ScheduleLook) -> None:
        decisions = self._planned(look)
        heard = await self._schedules.decide(decisions)
        for decision, ours in zip(decisions, heard, strict=True):
            if not ours:
                continue
            self._ours.update(firing.id for firing in decision.firings if firing.state == "due")
            if missed := self.counts.note(decision):
                self._missed.note(decision.name, missed)

    def _planned(self, look: ScheduleLook) -> list[Decision]:
        """What to do about each; one that was set where other time zones are known must not stop the others."""
        decisions, refused = [], {}
        for due in look.due:
            try:
                decisions.append(plan(due, look.now))
            except DefinitionError as error:
                refused[due.name] = str(error)
        for name in refused.keys() - self.refused.keys():
            log.error("%s is left to other schedulers. %s", name, refused[name])
        self.refused = refused
        return decisions

    def _is_for_us(self, firing: Firing, now: float) -> bool:
        """Several may begin it, but that is for when one has died."""
        return firing.id in self._ours or firing.triggered or now - firing.fired > THEIRS
