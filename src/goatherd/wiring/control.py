"""From URLs to what operators look at and leave behind; opened at first use."""

import asyncio
import logging
from contextlib import AsyncExitStack

from goatherd.engine.kept_audit import KeptAudit
from goatherd.model.settings import Settings
from goatherd.ports.audit import AuditTrail
from goatherd.ports.clock import Clock
from goatherd.ports.job_search import JobSearch
from goatherd.ports.processes import ProcessRecords
from goatherd.ports.records import JobHistory
from goatherd.wiring.events import open_history, open_job_search
from goatherd.wiring.loading import load, take_file

log = logging.getLogger("goatherd.control")


class ControlRecords:
    """Of one open app."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._opening = asyncio.Lock()
        self._life = AsyncExitStack()
        self._processes: ProcessRecords | None = None
        self._audit: AuditTrail | None = None
        self._jobs: JobSearch | None = None
        self._history: JobHistory | None = None

    async def processes(self) -> ProcessRecords:
        """Which processes there are, and what they do."""
        async with self._opening:
            if self._processes is None:
                self._warn_if_local("which processes there are")
                self._processes = await open_process_records(self._settings, self._clock)
                self._life.push_async_callback(self._processes.close)
            return self._processes

    async def audit(self) -> AuditTrail:
        """What operators did."""
        async with self._opening:
            if self._audit is None:
                self._warn_if_local("what operators do")
                trail = await open_audit_trail(self._settings, self._clock)
                self._audit = KeptAudit(trail, self._clock, self._settings.audit_days * 86_400.0)
                self._life.push_async_callback(self._audit.close)
            return self._audit

    async def jobs(self) -> JobSearch:
        """What became of jobs, to be searched."""
        async with self._opening:
            if self._jobs is None:
                self._warn_if_local("what became of jobs")
                self._jobs = await open_job_search(self._settings, self._clock)
                self._life.push_async_callback(self._jobs.close)
            return self._jobs

    async def history(self) -> JobHistory:
        """What became of each job, with its result and its error."""
        async with self._opening:
            if self._history is None:
                self._history = await open_history(self._settings, self._clock)
                self._life.push_async_callback(self._history.close)
            return self._history

    async def close(self) -> None:
        """Let go of what was opened."""
        await self._life.aclose()

    def _warn_if_local(self, what: str) -> None:
        if self._settings.record_store_is_local:
            log.info(
                "The broker is on the network, but %s is noted in the file of %s, which other machines do not see; set "
                "GOATHERD_RECORDS_URL=postgresql://…",
                what,
                self._settings.record_store,
            )


async def open_process_records(settings: Settings, clock: Clock) -> ProcessRecords:
    """Open what tells which processes there are; raises Unavailable, SettingsError or MissingExtra."""
    if settings.record_store.startswith("sqlite:"):
        from goatherd.adapters.sqlite.process_records import SqliteProcessRecords

        database, give_back = await take_file(settings.record_store)
        deadline = settings.publish_deadline
        return SqliteProcessRecords(database, clock, settings.app, deadline=deadline, give_back=give_back)
    await load("postgres", "A records_url with postgresql://")
    from goatherd.adapters.postgres import opening

    return await opening.open_process_records(settings)


async def open_audit_trail(settings: Settings, clock: Clock) -> AuditTrail:
    """Open what keeps the deeds of operators; raises the same."""
    if settings.record_store.startswith("sqlite:"):
        from goatherd.adapters.sqlite.audit_trail import SqliteAuditTrail

        database, give_back = await take_file(settings.record_store)
        deadline = settings.publish_deadline
        return SqliteAuditTrail(database, settings.app, deadline=deadline, give_back=give_back)
    await load("postgres", "A records_url with postgresql://")
    from goatherd.adapters.postgres import opening

    return await opening.open_audit_trail(settings)
