"""Processes: which ones do something for the app, what they do now, and how they are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from goatherd.desk.errors import NotThere
from goatherd.model.envelope import moment
from goatherd.model.process import ProcessRow, RunningJob

if TYPE_CHECKING:
    from goatherd.app import Goatherd


@dataclass(frozen=True, kw_only=True)
class JobNow:
    """A job that a worker does now."""

    job_id: str
    task: str
    queue: str
    #: The lane that it holds meanwhile; empty if it has none.
    key: str
    since: datetime


@dataclass(frozen=True, kw_only=True)
class ProcessFacts:
    """A process as it tells of itself."""

    #: Unlike its pid it is never used again: `host:pid:…`.
    id: str
    host: str
    pid: int
    #: Of worker, scheduler, router, gateway and dashboard.
    roles: tuple[str, ...]
    #: Of Goatherd.
    version: str
    started: datetime
    #: Seconds since it was last heard of.
    silent: float
    #: Where it takes jobs from, listeners by their pattern, and how many it does at once.
    queues: tuple[str, ...]
    concurrency: int
    #: The longest-running of the jobs that it does, and how many there are in all.
    running: tuple[JobNow, ...]
    running_count: int
    #: Bytes of memory in use; None if its system does not tell.
    memory: int | None
    #: Browsers that are connected to it.
    streams: int
    #: Whether it can do its work, and what is wrong.
    ready: bool
    reasons: tuple[str, ...]


async def look_at_processes(app: Goatherd) -> list[ProcessFacts]:
    """All that live, by host and the oldest first; raises Unavailable."""
    records = await app.session().control_records.processes()
    return [_facts(row) for row in await records.find()]


async def process(app: Goatherd, id: str) -> ProcessFacts:
    """One of them, by its id or by the name of a worker in it; raises NotThere or Unavailable."""
    found = await look_at_processes(app)
    for each in found:
        if each.id == id:
            return each
    # Jobs, lanes and steps know who has them by another name, which begins alike.
    alike = [each for each in found if f"{each.host}:{each.pid}" in (id, id.rpartition(":")[0])]
    if len(alike) == 1:
        return alike[0]
    raise NotThere("process", id, "It has ended, or nothing was heard of it for a while.")


def _facts(row: ProcessRow) -> ProcessFacts:
    state = row.state
    return ProcessFacts(
        id=state.id,
        host=state.host,
        pid=state.pid,
        roles=state.roles,
        version=state.version,
        started=moment(state.started),
        silent=row.silent,
        queues=state.queues,
        concurrency=state.concurrency,
        running=tuple(_job(job) for job in state.running),
        running_count=state.running_count,
        memory=state.memory,
        streams=state.streams,
        ready=state.ready,
        reasons=state.reasons,
    )


def _job(job: RunningJob) -> JobNow:
    return JobNow(job_id=job.job_id, task=job.task, queue=job.queue, key=job.key, since=moment(job.since))
