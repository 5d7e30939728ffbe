"""`goatherd migrate`: bring the databases of an app to the schema of this version."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from goatherd.cli.output import Output, with_output
from goatherd.cli.target import load_app, target_argument
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.model.migration import Migration
    from goatherd.ports.migrations import Migrations


@click.command()
@target_argument
@click.option("--sql", is_flag=True, help="Print the SQL instead of running it, for somebody else to run.")
@with_output
def migrate(output: Output, target: str, sql: bool) -> None:
    """Bring the PostgreSQL databases of an app to the schema that this version needs.

    Everything is in the schema `goatherd` of each database. Nothing is changed that is up to date already, and of
    several who do it at once only one does. A program whose setting `declare` is `create` does it by itself when it
    starts; others refuse to start until it is done. Files of SQLite need no such thing.

    \b
    Examples:
      goatherd migrate shop:app
      goatherd migrate shop:app --sql | psql "$DATABASE_URL"
    """
    from goatherd.wiring import find_migrations

    databases = find_migrations(load_app(target).settings)
    done = asyncio.run(_look(databases) if sql else _apply(databases))
    if output.json:
        output.write_json([_as_json(database, those, sql=sql) for database, those in done])
    elif not done:
        output.say(f"Nothing to do: {target} has nothing in PostgreSQL.")
    for database, those in () if output.json else done:
        click.echo(_script(database, those) if sql else _told(database, those))


async def _look(databases: Sequence[Migrations]) -> list[tuple[Migrations, Sequence[Migration]]]:
    return [(database, await database.missing()) for database in databases]


async def _apply(databases: Sequence[Migrations]) -> list[tuple[Migrations, Sequence[Migration]]]:
    return [(database, await database.apply()) for database in databases]


def _told(database: Migrations, those: Sequence[Migration]) -> str:
    if not those:
        return f"{database.database} is up to date: schema {database.newest}."
    steps = "\n".join(f"  {migration}" for migration in those)
    return f"{database.database} has schema {database.newest} now, after {counted(len(those), 'step')}:\n{steps}"


def _script(database: Migrations, those: Sequence[Migration]) -> str:
    if not those:
        return f"-- {database.database} is up to date: schema {database.newest}."
    return f"-- For {database.database}.\n\n{database.script(those)}"


def _as_json(database: Migrations, those: Sequence[Migration], *, sql: bool) -> dict[str, object]:
    told: dict[str, object] = {"database": database.database, "schema": database.newest}
    if sql:
        return {**told, "sql": database.script(those) if those else ""}
    return {**told, "applied": [str(migration) for migration in those]}
