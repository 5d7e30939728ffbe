"""Open the ports on the database that the settings name."""

from collections.abc import Callable, Sequence

from goatherd.adapters.postgres.address import read_address
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


async def open_lanes(settings: Settings, now: Callable[[], float] | None = None) -> PostgresLanes:
    """Raises Unavailable or SettingsError."""
    pool = Pool(read_address(settings.lane_store, "lanes"), settings.app, settings.publish_deadline)
    try:
        await pool.open()
        await prepare(pool, settings.declare)
        lanes = PostgresLanes(pool, settings.app, settings.publish_deadline, now)
        await lanes.open()
    except BaseException:
        await pool.close()
        raise
    return lanes


async def open_tallies(settings: Settings, now: Callable[[], float] | None = None) -> PostgresTallies:
    """Raises the same."""
    pool = Pool(read_address(settings.lane_store, "lanes"), settings.app, settings.publish_deadline)
    try:
        await pool.open()
        await prepare(pool, settings.declare)
    except BaseException:
        await pool.close()
        raise
    return PostgresTallies(pool, settings.app, settings.publish_deadline, now)


async def open_history(settings: Settings) -> PostgresHistory:
    """Raises the same."""
    pool = Pool(read_address(settings.record_store, "records"), settings.app, settings.publish_deadline)
    try:
        await pool.open()
        await pool.use(_check_encoding)
        await prepare(pool, settings.declare)
    except BaseException:
        await pool.close()
        raise
    return PostgresHistory(pool, settings.prefix_of_events)


async def open_job_search(settings: Settings) -> PostgresJobSearch:
    """Raises the same."""
    address = read_address(settings.record_store, "records")
    pool = Pool(address, settings.app, settings.publish_deadline, SEARCH_PLANNING)
    try:
        await pool.open()
        await prepare(pool, settings.declare)
    except BaseException:
        await pool.close()
        raise
    return PostgresJobSearch(pool, settings.prefix_of_events)


async def open_steps(settings: Settings, now: Callable[[], float] | None = None) -> PostgresSteps:
    """Raises the same."""
    pool = Pool(read_address(settings.record_store, "records"), settings.app, settings.publish_deadline, PLANNING)
    try:
        await pool.open()
        await pool.use(_check_encoding)
        await prepare(pool, settings.declare)
        steps = PostgresSteps(pool, settings.app, now)
        await steps.open()
    except BaseException:
        await pool.close()
        raise
    return steps


async def open_outbox(settings: Settings) -> PostgresOutbox:
    """Raises the same."""
    pool = Pool(read_address(settings.record_store, "records"), settings.app, RELAY * settings.publish_deadline)
    try:
        await pool.open()
        await prepare(pool, settings.declare)
        outbox = PostgresOutbox(pool, settings.app)
        await outbox.open()
    except BaseException:
        await pool.close()
        raise
    return outbox


async def open_uniques(settings: Settings, now: Callable[[], float] | None = None) -> PostgresUniques:
    """Raises the same."""
    pool = Pool(read_address(settings.record_store, "records"), settings.app, settings.publish_deadline)
    try:
        await pool.open()
        await prepare(pool, settings.declare)
    except BaseException:
        await pool.close()
        raise
    return PostgresUniques(pool, now)


async def open_listener_records(settings: Settings, now: Callable[[], float] | None = None) -> PostgresListenerRecords:
    """Raises the same."""
    pool = Pool(read_address(settings.record_store, "records"), settings.app, settings.publish_deadline)
    try:
        await pool.open()
        await prepare(pool, settings.declare)
    except BaseException:
        await pool.close()
        raise
    return PostgresListenerRecords(pool, settings.app, now)


async def open_alert_board(settings: Settings, now: Callable[[], float] | None = None) -> PostgresAlertBoard:
    """Raises the same."""
    pool = Pool(read_address(settings.record_store, "records"), settings.app, settings.publish_deadline)
    try:
        await pool.open()
        await prepare(pool, settings.declare)
    except BaseException:
        await pool.close()
        raise
    return PostgresAlertBoard(pool, settings.app, now)


async def open_process_records(settings: Settings, now: Callable[[], float] | None = None) -> PostgresProcessRecords:
    """Raises the same."""
    pool = Pool(read_address(settings.record_store, "records"), settings.app, settings.publish_deadline)
    try:
        await pool.open()
        await prepare(pool, settings.declare)
    except BaseException:
        await pool.close()
        raise
    return PostgresProcessRecords(pool, settings.app, now)


async def open_audit_trail(settings: Settings) -> PostgresAuditTrail:
    """Raises the same."""
    pool = Pool(read_address(settings.record_store, "records"), settings.app, settings.publish_deadline)
    try:
        await pool.open()
        await pool.use(_check_encoding)
        await prepare(pool, settings.declare)
    except BaseException:
        await pool.close()
        raise
    return PostgresAuditTrail(pool, settings.app)


async def open_schedules(settings: Settings, now: Callable[[], float] | None = None) -> PostgresSchedules:
    """Raises the same."""
    address = read_address(settings.record_store, "records")
    pool = Pool(address, settings.app, settings.publish_deadline, SCHEDULE_PLANNING)
    try:
        await pool.open()
        await pool.use(_check_encoding)
        await prepare(pool, settings.declare)
    except BaseException:
        await pool.close()
        raise
    return PostgresSchedules(pool, settings.app, now)


async def open_inbox(settings: Settings, now: Callable[[], float] | None = None) -> PostgresInbox:
    """Raises the same."""
    pool = Pool(read_address(settings.record_store, "records"), settings.app, settings.publish_deadline)
    try:
        await pool.open()
        await prepare(pool, settings.declare)
    except BaseException:
        await pool.close()
        raise
    return PostgresInbox(pool, settings.app, now)


def find_migrations(settings: Settings) -> Sequence[PostgresMigrations]:
    """One for each database that the settings name, and that is PostgreSQL's; raises SettingsError."""
    urls = {"lanes": settings.lane_store, "records": settings.record_store}
    named = {url: which for which, url in reversed(urls.items()) if url.startswith("postgres")}
    return [PostgresMigrations(read_address(url, which)) for url, which in reversed(named.items())]


async def _check_encoding(connection: Connection) -> None:
    """Errors of jobs have characters of all kinds."""
    found = connection.info.parameter_status("server_encoding")
    if found != "UTF8":
        told = f"the database of records has the encoding {found}; make one with UTF8 (createdb -E UTF8 -T template0)"
        raise SettingsError([told])
