"""Open the ports on the database that the settings name."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TypeAlias

from goatherd.adapters.postgres.address import Address, read_address
from goatherd.adapters.postgres.alert_board import PostgresAlertBoard
from goatherd.adapters.postgres.audit_trail import PostgresAuditTrail
from goatherd.adapters.postgres.connection import Connection
from goatherd.adapters.postgres.history import PostgresHistory
from goatherd.adapters.postgres.inbox import PostgresInbox
from goatherd.adapters.postgres.job_search import PostgresJobSearch
from goatherd.adapters.postgres.job_search_sql import PLANNING as SEARCH_PLANNING
from goatherd.adapters.postgres.lanes import PostgresLanes
from goatherd.adapters.postgres.listener_records import PostgresListenerRecords
from goatherd.adapters.postgres.outbox import PostgresOutbox
from goatherd.adapters.postgres.pool import Pool
from goatherd.adapters.postgres.process_records import PostgresProcessRecords
from goatherd.adapters.postgres.schedules import PostgresSchedules
from goatherd.adapters.postgres.schedules_sql import PLANNING as SCHEDULE_PLANNING
from goatherd.adapters.postgres.schema import PostgresMigrations, prepare
from goatherd.adapters.postgres.steps import PostgresSteps
from goatherd.adapters.postgres.steps_sql import PLANNING
from goatherd.adapters.postgres.tallies import PostgresTallies
from goatherd.adapters.postgres.uniques import PostgresUniques
from goatherd.errors import SettingsError
from goatherd.model.settings import Settings

#: How long a relay has rows, as a multiple of what one publish may take: it may need several.
RELAY = 4

Now: TypeAlias = Callable[[], float] | None


async def open_lanes(settings: Settings, now: Now = None) -> PostgresLanes:
    """Raises Unavailable or SettingsError."""
    async with _prepared(settings, _lanes_of(settings)) as pool:
        lanes = PostgresLanes(pool, settings.app, settings.publish_deadline, now)
        await lanes.open()
        return lanes


async def open_tallies(settings: Settings, now: Now = None) -> PostgresTallies:
    """Raises the same."""
    async with _prepared(settings, _lanes_of(settings)) as pool:
        return PostgresTallies(pool, settings.app, settings.publish_deadline, now)


async def open_history(settings: Settings) -> PostgresHistory:
    """Raises the same."""
    async with _prepared(settings, _records_of(settings), any_text=True) as pool:
        return PostgresHistory(pool, settings.prefix_of_events)


async def open_job_search(settings: Settings) -> PostgresJobSearch:
    """Raises the same."""
    async with _prepared(settings, _records_of(settings), planning=SEARCH_PLANNING) as pool:
        return PostgresJobSearch(pool, settings.prefix_of_events)


async def open_steps(settings: Settings, now: Now = None) -> PostgresSteps:
    """Raises the same."""
    async with _prepared(settings, _records_of(settings), planning=PLANNING, any_text=True) as pool:
        steps = PostgresSteps(pool, settings.app, now)
        await steps.open()
        return steps


async def open_outbox(settings: Settings) -> PostgresOutbox:
    """Raises the same."""
    async with _prepared(settings, _records_of(settings), deadline=RELAY * settings.publish_deadline) as pool:
        outbox = PostgresOutbox(pool, settings.app)
        await outbox.open()
        return outbox


async def open_uniques(settings: Settings, now: Now = None) -> PostgresUniques:
    """Raises the same."""
    async with _prepared(settings, _records_of(settings)) as pool:
        return PostgresUniques(pool, now)


async def open_listener_records(settings: Settings, now: Now = None) -> PostgresListenerRecords:
    """Raises the same."""
    async with _prepared(settings, _records_of(settings)) as pool:
        return PostgresListenerRecords(pool, settings.app, now)


async def open_alert_board(settings: Settings, now: Now = None) -> PostgresAlertBoard:
    """Raises the same."""
    async with _prepared(settings, _records_of(settings)) as pool:
        return PostgresAlertBoard(pool, settings.app, now)


async def open_process_records(settings: Settings, now: Now = None) -> PostgresProcessRecords:
    """Raises the same."""
    async with _prepared(settings, _records_of(settings)) as pool:
        return PostgresProcessRecords(pool, settings.app, now)


async def open_audit_trail(settings: Settings) -> PostgresAuditTrail:
    """Raises the same."""
    async with _prepared(settings, _records_of(settings), any_text=True) as pool:
        return PostgresAuditTrail(pool, settings.app)


async def open_schedules(settings: Settings, now: Now = None) -> PostgresSchedules:
    """Raises the same."""
    async with _prepared(settings, _records_of(settings), planning=SCHEDULE_PLANNING, any_text=True) as pool:
        return PostgresSchedules(pool, settings.app, now)


async def open_inbox(settings: Settings, now: Now = None) -> PostgresInbox:
    """Raises the same."""
    async with _prepared(settings, _records_of(settings)) as pool:
        return PostgresInbox(pool, settings.app, now)


def find_migrations(settings: Settings) -> Sequence[PostgresMigrations]:
    """One for each database that the settings name, and that is PostgreSQL's; raises SettingsError."""
    urls = {"lanes": settings.lane_store, "records": settings.record_store}
    named = {url: which for which, url in reversed(urls.items()) if url.startswith("postgres")}
    return [PostgresMigrations(read_address(url, which)) for url, which in reversed(named.items())]


def _lanes_of(settings: Settings) -> Address:
    return read_address(settings.lane_store, "lanes")


def _records_of(settings: Settings) -> Address:
    return read_address(settings.record_store, "records")


@asynccontextmanager
async def _prepared(
    settings: Settings, address: Address, *, planning: str = "", deadline: float | None = None, any_text: bool = False
) -> AsyncIterator[Pool]:
    """A pool on a database with our schema, to be kept by what is opened on it; closed again if that fails."""
    pool = Pool(address, settings.app, settings.publish_deadline if deadline is None else deadline, planning)
    try:
        await pool.open()
        if any_text:
            await pool.use(_check_encoding)
        await prepare(pool, settings.declare)
        yield pool
    except BaseException:
        await pool.close()
        raise


async def _check_encoding(connection: Connection) -> None:
    """Errors of jobs have characters of all kinds."""
    found = connection.info.parameter_status("server_encoding")
    if found != "UTF8":
        told = f"the database of records has the encoding {found}; make one with UTF8 (createdb -E UTF8 -T template0)"
        raise SettingsError([told])
