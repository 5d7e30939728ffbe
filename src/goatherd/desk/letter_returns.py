"""Put many dead letters back to work, or let them go: the oldest first, in steps, as long as a page waits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goatherd.desk.letter_digest import MOST_READ, digest_of
from goatherd.desk.letter_facts import LetterChoice, line_of
from goatherd.desk.letter_office import office_of
from goatherd.desk.letter_shares import Share
from goatherd.engine.dead_letters import read_letter
from goatherd.model.dead_letter import StoredLetter

if TYPE_CHECKING:
    from goatherd.app import Goatherd

#: Letters that are put back in one step. Few steps are better than many, because on some brokers each of them walks
#: through all letters; but each that is put back waits for the broker's word. To delete them takes one step.
STEP = 500
#: Seconds that it may take, about: a step is only begun if there is time for it, going by the one before.
BUDGET = 6.0


@dataclass(frozen=True, kw_only=True)
class Acted:
    """What was done to the letters that were meant."""

    #: Letters that matched, and how many of them were meant.
    matched: int
    chosen: int
    #: How many it was done to; others were gone already, or are left.
    done: int
    #: How many are left because it took too long: do it again for them.
    left: int
    #: How many of those that were put back went to the ends of their lanes.
    into_lanes: int = 0

    def counts(self) -> dict[str, int]:
        """What came of it, in numbers."""
        return {"done": self.done, "left": self.left}


async def replay_chosen(app: Goatherd, choice: LetterChoice, share: Share) -> Acted:
    """Put letters back to work; raises Unavailable."""
    office = office_of(app)
    acted = await _act(app, choice, share, office.replay_these, STEP)
    return Acted(**{**vars(acted), "into_lanes": len(office.returned)})


async def discard_chosen(app: Goatherd, choice: LetterChoice, share: Share) -> Acted:
    """Delete letters for good; raises Unavailable."""
    return await _act(app, choice, share, app.session().ports.dead_letters.discard, MOST_READ)


async def _act(
    app: Goatherd,
    choice: LetterChoice,
    share: Share,
    act: Callable[[Sequence[StoredLetter]], Awaitable[int]],
    at_once: int,
) -> Acted:
    # All are known before the first is touched: one that fails again at once must not be met a second time.
    found = await _matching(app, choice)
    chosen = found[: share.of(len(found))]
    done, tried = 0, 0
    async with digest_of(app).undisturbed() as gone:
        now = begun = asyncio.get_running_loop().time()
        before = begun
        while tried < len(chosen) and (not tried or 2 * now - before <= begun + BUDGET):
            letters = chosen[tried : tried + at_once]
            done += await act(letters)
            tried += len(letters)
            gone([letter.id for letter in letters])
            before, now = now, asyncio.get_running_loop().time()
    return Acted(matched=len(found), chosen=len(chosen), done=done, left=len(chosen) - tried)


async def _matching(app: Goatherd, choice: LetterChoice) -> list[StoredLetter]:
    """Those that are meant, as they were seen a moment ago; where not all of these are at hand, they are read."""
    seen = (await digest_of(app).get()).whole(choice)
    if seen is not None:
        return seen
    found: list[StoredLetter] = []
    async for stored in app.session().ports.dead_letters.find(choice.as_filter(), MOST_READ):
        if choice.matches(line_of(app, read_letter(stored, app.format_of(stored.original.queue)))):
            found.append(stored)
    return found
