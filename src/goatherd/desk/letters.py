"""Dead letters: what died and of what, all about one, and how to put them back to work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from goatherd.desk.errors import NotNow
from goatherd.desk.letter_digest import digest_of
from goatherd.desk.letter_edits import checked
from goatherd.desk.letter_facts import LetterChoice, LetterFacts, LetterGroups, LetterLine, LetterPage, facts_of
from goatherd.desk.letter_office import is_meant, no_letter, office_of
from goatherd.desk.letter_returns import Acted, discard_chosen, replay_chosen
from goatherd.desk.letter_shares import ALL, Share
from goatherd.engine.dead_letters import read_letter
from goatherd.errors import UnknownJob
from goatherd.model.envelope import moment
from goatherd.model.redaction import restored

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.dead_letter import StoredLetter


@dataclass(frozen=True, kw_only=True)
class TaskCount:
    """How many letters a task has; None stands for those of no known task."""

    task: str | None
    count: int


@dataclass(frozen=True, kw_only=True)
class Impact:
    """What would be done to how many, if it were done now."""

    #: Letters that match, and how many of them are meant: the oldest.
    matched: int
    chosen: int
    #: Whether all letters were seen; otherwise there may be more.
    complete: bool
    #: Of which tasks they are, the most frequent first.
    tasks: tuple[TaskCount, ...]
    #: How many of them go to the ends of their lanes, and to how many lanes.
    into_lanes: int
    lanes: int
    #: How many are of tasks that this app does not have.
    foreign: int
    #: Times of failure of the oldest and of the newest that is meant.
    oldest: datetime | None
    newest: datetime | None
    #: What came later is not meant: give it as the choice's `failed_before`.
    at: datetime


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """A letter that was put back to work."""

    id: str
    job_id: str
    #: The full key of its lane, and how many are before it there; None if it has none, or was there already.
    lane: str | None
    ahead: int | None
    #: What the operator should know.
    note: str


async def letter_groups(app: Goatherd, choice: LetterChoice | None = None) -> LetterGroups:
    """What died, grouped by task and error, the largest group first; raises Unavailable."""
    seen = await digest_of(app).get()
    groups = seen.grouped_by(choice or LetterChoice())
    count = sum(group.count for group in groups)
    return LetterGroups(groups=groups, count=count, complete=seen.complete, at=moment(seen.at))


async def letters(app: Goatherd, choice: LetterChoice | None = None, limit: int = 50, offset: int = 0) -> LetterPage:
    """Single letters, the newest first; raises Unavailable."""
    seen = await digest_of(app).get()
    meant = seen.meant_by(choice or LetterChoice())
    meant.sort(key=lambda letter: letter.failed_at, reverse=True)
    shown = tuple(meant[offset : offset + limit])
    return LetterPage(letters=shown, count=len(meant), complete=seen.complete, at=moment(seen.at))


async def letter(app: Goatherd, id: str) -> LetterFacts:
    """All about one, by its id, the end of it, or its job's id; raises NotThere or Unavailable."""
    stored = await _stored(app, id)
    return facts_of(app, read_letter(stored, app.format_of(stored.original.queue)), stored)


async def count(app: Goatherd) -> int:
    """How many there are, about; raises Unavailable."""
    # While they are read, some brokers tell that there are none.
    seen = digest_of(app).peek()
    return len(seen.lines) if seen is not None and seen.complete else await app.session().ports.dead_letters.count()


async def impact(app: Goatherd, choice: LetterChoice, share: Share = ALL) -> Impact:
    """How many are meant, of which tasks, and how many go into lanes; raises Unavailable."""
    seen = await digest_of(app).get()
    matching = seen.meant_by(choice)
    chosen = matching[: share.of(len(matching))]
    tasks = Counter(line.task for line in chosen)
    keys = {(line.queue, line.key) for line in chosen if line.key is not None}
    times = [line.failed_at for line in chosen]
    return Impact(
        matched=len(matching),
        chosen=len(chosen),
        complete=seen.complete,
        tasks=tuple(TaskCount(task=task, count=number) for task, number in tasks.most_common()),
        into_lanes=sum(line.key is not None for line in chosen),
        lanes=len(keys),
        foreign=sum(number for task, number in tasks.items() if task not in app.tasks),
        oldest=min(times, default=None),
        newest=max(times, default=None),
        at=moment(seen.at),
    )


async def replay(app: Goatherd, choice: LetterChoice, share: Share = ALL) -> Acted:
    """Put letters back to work, the oldest first; raises Unavailable. Some may be left: see `Acted.left`."""
    return await replay_chosen(app, choice, share)


async def replay_one(app: Goatherd, id: str, arguments: Mapping[str, Any] | None = None) -> Replayed:
    """Put one letter back to work, with other arguments if given; secrets that were left hidden are put back.

    Raises NotThere, NotNow, InvalidArguments or Unavailable.
    """
    office, stored = office_of(app), await _stored(app, id)
    found = read_letter(stored, app.format_of(stored.original.queue))
    note, other, lane = "", None, None
    if arguments is not None:
        if found.arguments is None:
            raise NotNow(f"The arguments of dead letter {found.id} cannot be read, so they cannot be edited.")
        edited = checked(app, found, restored(dict(arguments), found.arguments, app.settings.redact))
        note, other, lane = edited.note, edited.arguments, edited.lane
    async with digest_of(app).undisturbed() as gone:
        try:
            done = await office.replay_one(stored.id, other, lane)
        except UnknownJob:
            done = False
        gone([stored.id])
    if not done:
        raise no_letter(UnknownJob.letter(stored.id))
    back = office.returned[0] if office.returned else None
    return Replayed(
        id=stored.id,
        job_id=found.job_id,
        lane=None if back is None else back.lane,
        ahead=None if back is None else back.ahead,
        note=note,
    )


async def discard(app: Goatherd, choice: LetterChoice, share: Share = ALL) -> Acted:
    """Delete letters for good, the oldest first; raises Unavailable. Some may be left: see `Acted.left`."""
    return await discard_chosen(app, choice, share)


async def discard_one(app: Goatherd, id: str) -> None:
    """Delete one letter for good; raises NotThere or Unavailable."""
    stored = await _stored(app, id)
    async with digest_of(app).undisturbed() as gone:
        done = await app.session().ports.dead_letters.discard([stored])
        gone([stored.id])
    if not done:
        raise no_letter(UnknownJob.letter(stored.id))


async def letter_of_job(app: Goatherd, job_id: str) -> LetterLine | None:
    """The newest dead letter of a job, if one was seen; raises Unavailable."""
    seen = await digest_of(app).get()
    return next((line for line in reversed(seen.lines) if line.job_id == job_id), None)


async def _stored(app: Goatherd, given: str) -> StoredLetter:
    """The letter that is meant, at once where it was seen and is dear to get; raises NotThere or Unavailable."""
    digest, store = digest_of(app), app.session().ports.dead_letters
    dear = not app.settings.broker_url.startswith("sqlite:")
    if dear and (seen := digest.peek()) is not None and given in seen.kept:
        return seen.kept[given]
    try:
        return await store.get(given)
    except UnknownJob as error:
        unknown = no_letter(error)
    seen = await digest.get()
    found = [line.id for line in seen.lines if is_meant(line.id, line.job_id, given)]
    if not found:
        raise unknown
    try:
        return seen.kept[found[-1]] if found[-1] in seen.kept else await store.get(found[-1])
    except UnknownJob as error:
        raise no_letter(error) from error
