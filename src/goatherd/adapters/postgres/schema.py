"""Bring a database to the schema that this version needs; two who do it at once take turns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal

import psycopg

from goatherd.adapters.postgres.address import Address
from goatherd.adapters.postgres.connection import Connection, connected
from goatherd.adapters.postgres.failures import in_our_words, passes, refused
from goatherd.adapters.postgres.pool import Pool
from goatherd.errors import SettingsError

#: The oldest server that has all that is used here.
OLDEST = 130000
#: Seconds that a migration may take, and wait for others.
PATIENCE = 600.0
#: Held while a migration is made; "GOAT" in ASCII.
LOCK = 0x474F4154


@dataclass(frozen=True)
class Step:
    """One numbered file."""

    number: int
    name: str
    script: str


def steps() -> Sequence[Step]:
    """All that this version knows, in order."""
    return sorted(_files(), key=lambda step: step.number)


async def prepare(pool: Pool, declare: Literal["create", "check", "never"]) -> None:
    """Have the schema as this version needs it, or refuse; raises SettingsError or Unavailable."""
    current = await pool.use(_current)
    missing = _missing(current, pool.address)
    if missing and declare == "create":
        await migrate(pool.address)
    elif missing:
        told = (
            f"{pool.address} has schema {current} of Goatherd, and this version needs {missing[-1].number}; run "
            f"`goatherd migrate MODULE:APP`, or set declare to create"
        )
        raise SettingsError([told])


async def missing(address: Address) -> Sequence[Step]:
    """What a database has not seen yet; raises SettingsError or Unavailable."""
    connection = await _alone(address)
    async with connection:
        return _missing(await _current(connection), address)


async def migrate(address: Address) -> Sequence[Step]:
    """Apply what it has not seen yet, in one transaction; tells what that was; raises SettingsError or Unavailable."""
    connection = await _alone(address)
    async with connection:
        try:
            async with connection.transaction():
                await connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
                applied = _missing(await _current(connection), address)
                for step in applied:
                    await connection.execute(_bytes(step.script))
                    await connection.execute(_bytes(_noted(step)))
        except psycopg.Error as error:
            if isinstance(error, psycopg.errors.InsufficientPrivilege):
                told = (
                    f"{address} does not let this user make the schema goatherd ({error.diag.message_primary}); run "
                    f"`goatherd migrate` as a user who may, or give it the output of `goatherd migrate --sql`"
                )
                raise SettingsError([told]) from error
            raise (refused if passes(error) else in_our_words)(error, address) from error
    return applied


def as_script(those: Sequence[Step]) -> str:
    """The same for people to run themselves."""
    parts = [f"-- {step.number:04} {step.name}\n\n{step.script.strip()}\n\n{_noted(step)};\n" for step in those]
    return "\n".join(["BEGIN;\n", f"SELECT pg_advisory_xact_lock({LOCK});\n", *parts, "COMMIT;"])


async def _alone(address: Address) -> Connection:
    try:
        return await connected(address, "migrate", PATIENCE)
    except (psycopg.Error, OSError) as error:
        raise refused(error, address) from error


async def _current(connection: Connection) -> int:
    """The number of the last file that it has seen."""
    if connection.info.server_version < OLDEST:
        told = f"the server is PostgreSQL {connection.info.server_version // 10000}; 13 or newer is needed"
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


def _missing(current: int, address: Address) -> Sequence[Step]:
    known = steps()
    if current > known[-1].number:
        told = (
            f"{address} was migrated by a newer Goatherd (schema {current}; this one knows {known[-1].number}). "
            f"Upgrade Goatherd in this program, or set {address.variable} to another database"
        )
        raise SettingsError([told])
    return [step for step in known if step.number > current]


def _noted(step: Step) -> str:
    return f"INSERT INTO goatherd.migration (number, name) VALUES ({step.number}, '{step.name}')"


def _bytes(script: str) -> Any:
    # The driver takes texts for queries only if they are literals; these come with the package.
    return script.encode()


def _files() -> Iterator[Step]:
    folder = resources.files("goatherd.adapters.postgres") / "sql"
    for entry in folder.iterdir():
        number, _, name = entry.name.removesuffix(".sql").partition("_")
        if number.isdigit():
            yield Step(int(number), name, entry.read_text(encoding="utf-8"))
