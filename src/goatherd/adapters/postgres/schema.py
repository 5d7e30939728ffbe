"""Bring a database to the schema that this version needs; two who do it at once take turns."""

from collections.abc import Iterator, Sequence
from importlib import resources
from typing import Any, Literal

import psycopg

from goatherd.adapters.postgres.address import Address
from goatherd.adapters.postgres.connection import Connection, connected
from goatherd.adapters.postgres.failures import in_our_words, passes, refused
from goatherd.adapters.postgres.pool import Pool
from goatherd.errors import GoatherdError, SettingsError
from goatherd.model.migration import Migration

#: The oldest server that has all that is used here.
OLDEST = 130000
#: Seconds that a migration may take, and wait for others.
PATIENCE = 600.0
#: Held while a migration is made; "GOAT" in ASCII.
LOCK = 0x474F4154


class PostgresMigrations:
    """Satisfies `Migrations`."""

    def __init__(self, address: Address) -> None:
        self._address = address

    @property
    def database(self) -> str:
        return str(self._address)

    @property
    def newest(self) -> int:
        return migrations()[-1].number

    async def missing(self) -> Sequence[Migration]:
        async with await self._connected() as connection:
            return missing(await current(connection), self._address)

    async def apply(self) -> Sequence[Migration]:
        async with await self._connected() as connection:
            try:
                async with connection.transaction():
                    await connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
                    those = missing(await current(connection), self._address)
                    for migration in those:
                        await connection.execute(_bytes(migration.script))
                        await connection.execute(_bytes(_noted(migration)))
            except (psycopg.Error, OSError) as error:
                raise self._explained(error) from error
        return those

    def script(self, those: Sequence[Migration]) -> str:
        parts = [f"-- {each}\n\n{each.script.strip()}\n\n{_noted(each)};\n" for each in those]
        return "\n".join(["BEGIN;\n", f"SELECT pg_advisory_xact_lock({LOCK});\n", *parts, "COMMIT;"])

    async def _connected(self) -> Connection:
        try:
            return await connected(self._address, "migrate", PATIENCE)
        except (psycopg.Error, OSError) as error:
            raise refused(error, self._address) from error

    def _explained(self, error: BaseException) -> GoatherdError:
        if isinstance(error, psycopg.errors.InsufficientPrivilege):
            told = (
                f"{self._address} does not let this user make the schema goatherd ({error.diag.message_primary}); run "
                f"`goatherd migrate` as a user who may, or let one run what `goatherd migrate --sql` prints"
            )
            return SettingsError([told])
        return (refused if passes(error) else in_our_words)(error, self._address)


async def prepare(pool: Pool, declare: Literal["create", "check", "never"]) -> None:
    """Have the schema as this version needs it, or refuse; raises SettingsError or Unavailable."""
    found = await pool.use(current)
    lacking = missing(found, pool.address)
    if lacking and declare == "create":
        await PostgresMigrations(pool.address).apply()
    elif lacking:
        told = (
            f"{pool.address} has schema {found} of Goatherd, and this version needs {lacking[-1].number}; run "
            f"`goatherd migrate MODULE:APP`, or set declare to create"
        )
        raise SettingsError([told])


def migrations() -> Sequence[Migration]:
    """All that this version knows, in order."""
    return sorted(_files(), key=lambda migration: migration.number)


def missing(found: int, address: Address) -> Sequence[Migration]:
    """What a database of that schema lacks; raises SettingsError if it is of a newer version."""
    known = migrations()
    if found > known[-1].number:
        told = (
            f"{address} was migrated by a newer Goatherd (schema {found}; this one knows {known[-1].number}). Upgrade "
            f"Goatherd in this program, or set {address.variable} to another database"
        )
        raise SettingsError([told])
    return [migration for migration in known if migration.number > found]


async def current(connection: Connection) -> int:
    """The number of the last migration that a database has seen; raises SettingsError if the server is too old."""
    if connection.info.server_version < OLDEST:
        told = (
            f"the server is PostgreSQL {connection.info.server_version // 10000}; {OLDEST // 10000} or newer is needed"
        )
        raise SettingsError([told])
    cursor = await connection.execute(
        "SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname = 'goatherd' AND c.relname = 'migration'"
    )
    if await cursor.fetchone() is None:
        return 0
    cursor = await connection.execute("SELECT coalesce(max(number), 0) FROM goatherd.migration")
    [number] = await cursor.fetchone() or (0,)
    return int(number)


def _noted(migration: Migration) -> str:
    return f"INSERT INTO goatherd.migration (number, name) VALUES ({migration.number}, '{migration.name}')"


def _bytes(script: str) -> Any:
    # The driver takes texts for queries only if they are literals; these come with the package.
    return script.encode()


def _files() -> Iterator[Migration]:
    folder = resources.files("goatherd.adapters.postgres") / "sql"
    for entry in folder.iterdir():
        number, _, name = entry.name.removesuffix(".sql").partition("_")
        if number.isdigit():
            yield Migration(number=int(number), name=name, script=entry.read_text(encoding="utf-8"))
