"""Ask a server about itself, on a connection of its own."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import psycopg

from goatherd.adapters.postgres.address import Address, read_address
from goatherd.adapters.postgres.connection import Connection, close, connected, sever
from goatherd.adapters.postgres.failures import away, refused
from goatherd.model.server_facts import PostgresFacts, ServerSetting, Use, skew_of
from goatherd.model.settings import Settings

#: Seconds that the answers may take.
DEADLINE = 5.0

_TIME = "SELECT extract(epoch FROM pg_catalog.clock_timestamp())::float8"
#: As they are in force for this user in this database. Who may not see the others' activity still sees their number.
_ASKED = """
    SELECT current_setting('server_version'), pg_is_in_recovery(), current_database()::text, current_user::text,
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
        (SELECT coalesce(sum(numbackends), 0) FROM pg_stat_database)::int,
        (SELECT array_agg(ARRAY[name, setting, source]) FROM pg_settings
            WHERE name IN ('synchronous_commit', 'fsync', 'default_transaction_read_only'))
"""


def postgres_servers(settings: Settings) -> dict[str, tuple[Address, list[Use]]]:
    """The databases that the settings name, by URL, and what each is used for; raises SettingsError."""
    found: dict[str, tuple[Address, list[Use]]] = {}
    named: Sequence[tuple[Use, str]] = (("lanes", settings.lane_store), ("records", settings.record_store))
    for use, url in named:
        if url.startswith("postgres"):
            found.setdefault(url, (read_address(url, use), []))[1].append(use)
    return found


async def postgres_facts(address: Address, uses: Sequence[Use], now: Callable[[], float]) -> PostgresFacts:
    """Raises Unavailable or SettingsError."""
    try:
        async with asyncio.timeout(address.connection_timeout + 1):
            connection = await connected(address, "doctor", DEADLINE)
    except (psycopg.Error, OSError, TimeoutError) as error:
        raise refused(error, address) from error
    # In a task of its own: the driver would not let go of a frozen server when it is cancelled.
    asking = asyncio.create_task(_ask(connection, now), name="goatherd ask postgres")
    try:
        await asyncio.wait({asking}, timeout=DEADLINE)
    finally:
        if not asking.done():
            sever(connection)
            await asyncio.gather(asking, return_exceptions=True)
        await close(connection)
    try:
        times, told = asking.result()
    except (psycopg.Error, OSError) as error:
        raise away(error, address) from error
    version, standby, database, user, most, used, settings = told
    return PostgresFacts(
        server=str(address),
        uses=tuple(uses),
        version=f"PostgreSQL {version.split()[0]}",
        skew=skew_of(*times),
        database=database,
        user=user,
        standby=standby,
        settings={name: ServerSetting(value=value, source=source) for name, value, source in settings},
        most_connections=most,
        # This one is gone in a moment.
        connections=max(0, used - 1),
        pool_size=address.pool_size,
    )


async def _ask(connection: Connection, now: Callable[[], float]) -> tuple[tuple[float, float, float], tuple[Any, ...]]:
    before = now()
    [told] = await (await connection.execute(_TIME)).fetchall()
    after = now()
    [facts] = await (await connection.execute(_ASKED)).fetchall()
    return (float(told[0]), before, after), facts
