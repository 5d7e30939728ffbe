"""Jobs: found in the history, with all that is known of one, its timeline, and how to stop it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from goatherd.desk.errors import NotNow, NotThere
from goatherd.desk.job_facts import JobFacts, JobKind, JobLine, JobsPage, Timeline, line_of
from goatherd.desk.job_looks import JobLook, job_facts
from goatherd.desk.job_timeline import timeline_by, timeline_of
from goatherd.desk.letter_digest import digest_of
from goatherd.desk.letter_facts import LetterLine
from goatherd.desk.run_finding import names_of_pipelines
from goatherd.errors import Unavailable, UnknownJob
from goatherd.model.event import BEGINNING
from goatherd.model.job_record import JobRecord, Told, noted, notes_of
from goatherd.model.job_search import LARGEST_PAGE, JobFilter, JobPlace
from goatherd.model.job_state import JobState, Status

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.run_record import RunLook

#: Dead letters that are told beside the jobs that were found.
MOST_LETTERS = 20
#: Seconds for which a page waits for dead letters, which are only told besides.
LETTER_PATIENCE = 0.25

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class JobChoice:
    """Which jobs are looked for; what is None or empty matches all."""

    #: Words, or a part of an id: see `goatherd.model.job_search.JobFilter`.
    text: str = ""
    task: str | None = None
    queue: str | None = None
    status: Status | None = None
    #: The full key of a lane.
    key: str | None = None
    #: `letter`: nothing but dead letters of jobs that nobody tracked.
    kind: JobKind | None = None
    #: When it was accepted: not before, and before.
    since: datetime | None = None
    until: datetime | None = None


async def search(
    app: Goatherd, choice: JobChoice | None = None, limit: int = 50, before: str | None = None
) -> JobsPage:
    """A page of jobs; `before` is the `next` of the page before. Raises NotThere or Unavailable."""
    choice, place = choice or JobChoice(), None if before is None else _place(before)
    lines: Sequence[JobLine] = ()
    after: str | None = None
    if choice.kind != "letter":
        store = await app.session().control_records.jobs()
        page = await store.search(_filter(choice), min(limit, LARGEST_PAGE), place)
        lines = [line_of(job) for job in page.jobs]
        after = None if page.next is None else str(page.next)
    letters = () if place is not None else await _letters(app, choice, {line.id for line in lines})
    return JobsPage(jobs=tuple(lines), next=after, letters=letters)


async def counts(app: Goatherd) -> Mapping[Status, int]:
    """How many jobs the history has of each status; raises Unavailable."""
    return await (await app.session().control_records.jobs()).counts()


async def task_names(app: Goatherd) -> list[str]:
    """What jobs can be looked for by: tasks and pipelines of the app and of the history. Raises Unavailable."""
    known = await (await app.session().control_records.jobs()).tasks()
    return sorted({*known, *app.tasks, *app.pipelines})


async def job(app: Goatherd, id: str) -> JobFacts:
    """All that is known of one; raises NotThere or Unavailable.

    While one of those who may know of it is away, it is told what the others know, and that this is not all.
    """
    state, record, run = await asyncio.gather(_told(_state(app, id)), _told(_record(app, id)), _told(_run(app, id)))
    troubles = [each for each in (state, record, run) if isinstance(each, Unavailable)]
    look = JobLook(
        id=id,
        state=None if isinstance(state, Unavailable) else state,
        record=None if isinstance(record, Unavailable) else record,
        run=None if isinstance(run, Unavailable) else run,
        letter=None,
        troubles=tuple(map(str, troubles)),
    )
    if look.state is not None and look.record is None:
        look = replace(look, record=await _introduction(app, id))
    if look.source is None or look.standing.closed:
        look = replace(look, letter=await _letter(app, id, nothing_known=look.source is None))
    if look.source is None:
        raise troubles[0] if troubles else _unknown(id)
    return job_facts(app, look)


async def timeline(app: Goatherd, id: str) -> Timeline:
    """What happened to it, in order; raises NotThere or Unavailable."""
    kept = await timeline_of(await app.session().events(), id)
    if kept is not None:
        return kept
    record = await _record(app, id)
    if record is not None:
        return timeline_by(record)
    # Also known: runs whose events are gone, and dead letters.
    await job(app, id)
    return Timeline(events=(), text="", whole_text=True, kept=False, position="")


async def cancel(app: Goatherd, id: str) -> None:
    """Stop it: what waits is not started, what runs is told to stop. Raises NotThere, NotNow or Unavailable."""
    try:
        stopped = await app.run(id).cancel()
    except UnknownJob as error:
        raise _unknown(id) from error
    if not stopped:
        raise NotNow(f"Job {id} had ended, so there was nothing to cancel.")


def _place(before: str) -> JobPlace:
    try:
        return JobPlace.parse(before)
    except ValueError as error:
        raise NotThere("page", before, "Begin with the newest jobs.") from error


def _filter(choice: JobChoice) -> JobFilter:
    return JobFilter(
        text=choice.text,
        task=choice.task,
        queue=choice.queue,
        status=choice.status,
        key=choice.key,
        kind=None if choice.kind == "letter" else choice.kind,
        since=None if choice.since is None else choice.since.timestamp(),
        until=None if choice.until is None else choice.until.timestamp(),
    )


async def _letters(app: Goatherd, choice: JobChoice, found: set[str]) -> tuple[LetterLine, ...]:
    """Dead letters that fit what is looked for, the newest first, of jobs that were not found themselves."""
    narrowed = choice.text or choice.task or choice.queue or choice.status or choice.kind == "letter"
    if not narrowed or choice.key is not None or choice.kind not in (None, "job", "letter"):
        return ()
    if choice.status not in (None, "failed", "expired"):
        return ()
    words = choice.text.lower().split()
    seen = await digest_of(app).soon(LETTER_PATIENCE)
    lines = () if seen is None else seen.lines
    fitting = [line for line in lines if line.job_id not in found and _fits(line, choice, words)]
    fitting.sort(key=lambda line: line.failed_at, reverse=True)
    return tuple(fitting[:MOST_LETTERS])


def _fits(line: LetterLine, choice: JobChoice, words: Sequence[str]) -> bool:
    told = " ".join((line.job_id, line.task or "", line.key or "", line.arguments or "", line.error_type, line.message))
    return (
        choice.task in (None, line.task)
        and choice.queue in (None, line.queue)
        and (choice.since is None or line.created_at >= choice.since)
        and (choice.until is None or line.created_at < choice.until)
        and (choice.status is None or (choice.status == "expired") == (line.reason == "expired"))
        and all(word in told.lower() for word in words)
    )


async def _letter(app: Goatherd, job_id: str, *, nothing_known: bool) -> LetterLine | None:
    """Its newest dead letter; only where nothing else is known of it, that is waited for."""
    seen = await (digest_of(app).get() if nothing_known else digest_of(app).soon(LETTER_PATIENCE))
    lines = () if seen is None else seen.lines
    return next((line for line in reversed(lines) if line.job_id == job_id), None)


async def _state(app: Goatherd, id: str) -> JobState | None:
    return await (await app.session().events()).state(id)


async def _record(app: Goatherd, id: str) -> JobRecord | None:
    return await (await app.session().control_records.history()).find(id)


async def _introduction(app: Goatherd, id: str) -> JobRecord | None:
    """What its first event tells, as long as no router has put it on record."""
    reading = await (await app.session().events()).read(id, BEGINNING, 1)
    if reading is None or not reading.entries:
        return None
    [first] = reading.entries
    [note] = notes_of([Told(job=id, position=first.position, event=first.event())])
    return noted(None, note)


async def _run(app: Goatherd, id: str) -> RunLook | None:
    if not names_of_pipelines(app):
        return None
    return await (await app.session().records()).operations.look(id)


async def _told(asked: Awaitable[T]) -> T | Unavailable:
    try:
        return await asked
    except Unavailable as error:
        return error


def _unknown(id: str) -> NotThere:
    return NotThere(
        "job",
        id,
        "Only jobs that are tracked are known by their id: those that were started, and all with track_all=True.",
        told=f"No job {id!r} is known: the id is wrong, or its records have expired.",
    )
