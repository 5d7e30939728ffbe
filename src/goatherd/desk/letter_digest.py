"""The dead letters of an app as they were seen last, for those who look at them again and again.

On some brokers letters are dear to read: they are taken from their queue and put back, and nobody else sees them
meanwhile. So one task reads them for all who look, only while somebody does, and only when there is something new.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from goatherd.desk.letter_facts import LetterChoice, LetterLine, line_of
from goatherd.desk.letter_groups import LetterGroup, grouped
from goatherd.engine.dead_letters import read_letter
from goatherd.errors import GoatherdError, Unavailable
from goatherd.model.dead_letter import LetterFilter, StoredLetter

if TYPE_CHECKING:
    from goatherd.app import Goatherd

#: Letters that are read at most: the oldest.
MOST_READ = 10_000
#: Seconds between two looks whether there is something new, and after which all are read even if there seems not.
EVERY, ANYWAY_EVERY = 5.0, 30.0
#: Seconds that somebody waits for the first look, and for a newer one after a change.
FIRST_PATIENCE, PATIENCE = 10.0, 0.25
#: Seconds after the last question from which on nobody looks any more.
ATTENTION = 30.0
#: Seconds that a look may take, and after which what was seen is too old to be shown.
DEADLINE, TOO_OLD = 30.0, 60.0
#: Bytes of whole letters that are kept beside their lines, so that one can be shown at once.
MOST_KEPT = 32 * 1024 * 1024
#: How often fewer letters are counted before it is believed, and seconds in between.
MOST_COUNTS, COUNT_AGAIN_AFTER = 3, 0.5
#: Groupings that are remembered of one look.
MOST_ANSWERS = 50
#: Letters that are read before others have their turn on the event loop.
BREATH = 50
#: Seconds that the task has to end when the app is closed.
LAST_WORDS = 5.0

log = logging.getLogger("goatherd.desk")


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What was there."""

    #: Oldest first.
    lines: tuple[LetterLine, ...]
    #: Whether these are all.
    complete: bool
    #: In seconds since the epoch; no letter failed later.
    at: float
    #: Whole letters by id, as far as there was room.
    kept: Mapping[str, StoredLetter] = field(repr=False)
    #: What was asked of it before; it never changes.
    groups: dict[LetterChoice, tuple[LetterGroup, ...]] = field(default_factory=dict, repr=False)

    def meant_by(self, choice: LetterChoice) -> list[LetterLine]:
        """Those that a choice means, oldest first."""
        return [line for line in self.lines if choice.matches(line)]

    def grouped_by(self, choice: LetterChoice) -> tuple[LetterGroup, ...]:
        """The same, grouped by what they died of."""
        if choice not in self.groups:
            if len(self.groups) >= MOST_ANSWERS:
                self.groups.clear()
            self.groups[choice] = tuple(grouped(self.meant_by(choice)))
        return self.groups[choice]

    def whole(self, choice: LetterChoice) -> list[StoredLetter] | None:
        """Those that a choice means as they are stored; None if not all of them are at hand."""
        if len(self.kept) < len(self.lines) or not self.complete:
            return None
        return [self.kept[line.id] for line in self.meant_by(choice)]

    def without(self, ids: Collection[str]) -> Seen:
        """What is there when these are gone."""
        lines = tuple(line for line in self.lines if line.id not in ids)
        kept = {id: letter for id, letter in self.kept.items() if id not in ids}
        return replace(self, lines=lines, kept=kept, groups={})


class LetterDigest:
    """Of one open app; kept beside its session."""

    def __init__(self, app: Goatherd) -> None:
        self._app = app
        self._session = app.session()
        self._task: asyncio.Task[None] | None = None
        self._asked_at = -math.inf
        self._seen: Seen | None = None
        self._count = -1
        self._read_at = self._checked_at = -math.inf
        self._trouble: GoatherdError | None = None
        #: Changes of which this process knows, and those before what was seen last.
        self._changes, self._seen_changes = 0, 0
        self._reading = asyncio.Lock()
        self._looked = asyncio.Event()
        self._wanted = asyncio.Event()

    async def get(self) -> Seen:
        """What was seen last, at most some seconds ago; raises Unavailable, or what else kept it from being seen."""
        self._asked_at = _now()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name=f"goatherd letter digest of {self._app.name}")
        if self._seen is None or self._is_stale():
            await self._next_look(FIRST_PATIENCE if self._seen is None else PATIENCE)
        if self._seen is None or (self._trouble is not None and _now() - self._checked_at > TOO_OLD):
            raise self._trouble or Unavailable(f"The dead letters could not be read within {FIRST_PATIENCE:g} s.")
        return self._seen

    async def soon(self, patience: float) -> Seen | None:
        """The same for those who only tell of letters besides: what can be had in so many seconds, if anything."""
        try:
            async with asyncio.timeout(patience):
                return await self.get()
        except (GoatherdError, TimeoutError):
            return self._seen

    def peek(self) -> Seen | None:
        """What was seen last, if anything; asks nobody."""
        return self._seen

    def changed(self) -> None:
        """There are others now: look again soon, and let those who ask wait a moment for it."""
        self._changes += 1
        self._wanted.set()

    @asynccontextmanager
    async def undisturbed(self) -> AsyncIterator[Callable[[Collection[str]], None]]:
        """Read nothing until the block ends: on some brokers one who looks keeps others waiting.

        The block gives the ids of letters that it has replayed or discarded, which are shown no more. Where it is
        broken off, nobody knows which these are, and all are read again.
        """
        async with self._reading:
            try:
                yield self._forget
            except BaseException:
                self.changed()
                raise

    def _forget(self, ids: Collection[str]) -> None:
        if self._seen is not None:
            before, self._seen = len(self._seen.lines), self._seen.without(frozenset(ids))
            # So that nobody takes it for news.
            self._count -= before - len(self._seen.lines)

    async def close(self) -> None:
        """Look no more."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task], timeout=LAST_WORDS)

    def _is_stale(self) -> bool:
        return self._seen_changes != self._changes

    async def _next_look(self, patience: float) -> None:
        """Wait until it was looked after the last change that is known; not longer than that."""
        changes = self._changes
        try:
            async with asyncio.timeout(patience):
                while self._seen_changes < changes or self._seen is None:
                    await self._looked.wait()
                    if self._trouble is not None:
                        return
        except TimeoutError:
            return

    async def _run(self) -> None:
        try:
            while _now() - self._asked_at < ATTENTION:
                self._wanted.clear()
                await self._look_once()
                self._looked.set()
                self._looked = asyncio.Event()
                if not self._is_stale() or self._trouble is not None:
                    await self._pause()
        finally:
            # Nobody looks any more, and it may be much.
            self._seen, self._read_at = None, -math.inf

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(EVERY):
                await self._wanted.wait()
        except TimeoutError:
            return

    async def _look_once(self) -> None:
        changes = self._changes
        try:
            async with asyncio.timeout(DEADLINE):
                await self._look(changes)
        except GoatherdError as error:
            self._trouble = error
        except TimeoutError:
            self._trouble = Unavailable(f"The dead letters could not be read within {DEADLINE:g} s. Try again.")
        except Exception as error:
            log.exception("The dead letters could not be read; this is a fault of Goatherd")
            self._trouble = Unavailable(f"The dead letters could not be read: {error!r}")
        else:
            self._trouble, self._seen_changes, self._checked_at = None, changes, _now()

    async def _look(self, changes: int) -> None:
        count = await self._counted()
        is_new = self._seen is None or count != self._count or changes != self._seen_changes
        if is_new or _now() - self._read_at >= ANYWAY_EVERY:
            async with self._reading:
                self._seen = await self._read()
                self._count, self._read_at = count, _now()

    async def _counted(self) -> int:
        """How many there are; a broker tells of fewer, or none, while somebody else reads them."""
        for _ in range(MOST_COUNTS):
            count = await self._session.ports.dead_letters.count()
            if count >= self._count or self._is_stale():
                break
            await asyncio.sleep(COUNT_AGAIN_AFTER)
        return count

    async def _read(self) -> Seen:
        at, size = self._session.clock.now(), 0
        lines: list[LetterLine] = []
        kept: dict[str, StoredLetter] = {}
        complete = True
        async for stored in self._session.ports.dead_letters.find(LetterFilter(), MOST_READ + 1):
            if len(lines) == MOST_READ:
                complete = False
                break
            lines.append(line_of(self._app, read_letter(stored, self._app.format_of(stored.original.queue))))
            size += len(stored.original.body) + len(stored.burial.traceback)
            if size <= MOST_KEPT:
                kept[stored.id] = stored
            # Clocks differ: what was seen has failed before it was seen.
            at = max(at, stored.burial.failed_at)
            if len(lines) % BREATH == 0:
                await asyncio.sleep(0)
        return Seen(lines=tuple(lines), complete=complete, at=at, kept=kept)


def digest_of(app: Goatherd) -> LetterDigest:
    """That of an open app."""
    return app.session().companions.get(LetterDigest, lambda: LetterDigest(app))


def _now() -> float:
    return asyncio.get_running_loop().time()
