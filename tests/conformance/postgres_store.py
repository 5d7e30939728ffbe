"""An app of one's own in the database that all share, and what only PostgreSQL's adapter must say."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, LiteralString
from uuid import uuid4

import psycopg
import pytest

from goatherd.adapters.postgres.opening import open_lanes
from goatherd.model.settings import Settings
from goatherd.testing.suites.lane_store import LaneStore
from scripts.servers.addresses import postgres_url

TABLES = ("lane_head", "lane_tail", "lane_item", "lane_later", "lane_letter", "lane_peer", "lane_name")


@asynccontextmanager
async def operator(url: str | None = None) -> AsyncIterator["psycopg.AsyncConnection[tuple[Any, ...]]"]:
    """A connection of somebody else, on which every statement is a transaction."""
    async with await psycopg.AsyncConnection.connect(url or postgres_url(), autocommit=True) as connection:
        yield connection


async def asked(sql: LiteralString, *parameters: Any) -> list[tuple[Any, ...]]:
    """What somebody else sees."""
    async with operator() as connection:
        cursor = await connection.execute(sql, parameters)
        return await cursor.fetchall() if cursor.description is not None else []


def settings(app: str, url: str | None = None, **more: Any) -> Settings:
    """An app whose lanes are in the database."""
    return Settings(broker_url="sqlite:///unused.db", default_queue="suite", app=app,
                    lanes_url=url or postgres_url(), **more)  # fmt: skip


async def forget_history(app: str) -> None:
    """Leave nothing of an app's history behind."""
    async with operator() as connection:
        of_its_facets = "facet IN (SELECT facet FROM goatherd.job_facet WHERE prefix = %s)"
        await connection.execute(f"DELETE FROM goatherd.job_count WHERE {of_its_facets}".encode(), (app,))
        for table in ("job_record", "job_words", "job_facet"):
            await connection.execute(f"DELETE FROM goatherd.{table} WHERE prefix = %s".encode(), (app,))


class PostgresLaneStore:
    """Each case has an app of its own."""

    @pytest.fixture
    async def store(self) -> AsyncIterator[str]:
        app = f"suite-{uuid4().hex}"
        yield app
        await self.wipe(app)

    async def open(self, store: str, now: Callable[[], float] | None = None) -> LaneStore:
        return await open_lanes(settings(store), now)

    async def wipe(self, store: str) -> None:
        async with operator() as connection:
            for table in TABLES:
                await connection.execute(f"DELETE FROM goatherd.{table} WHERE app = %s".encode(), (store,))

    async def kept(self, store: str) -> Sequence[str]:
        """A lane whose numbers alone are kept, until the clock is past them, is as good as forgotten."""
        async with operator() as connection:
            found = []
            for table in TABLES[2:5]:
                cursor = await connection.execute(f"SELECT 1 FROM goatherd.{table} WHERE app = %s".encode(), (store,))
                found += [table] if await cursor.fetchone() else []
            cursor = await connection.execute(
                "SELECT lane, condition FROM goatherd.lane_head WHERE app = %s AND condition <> 'empty'", (store,)
            )
            return [*found, *(f"{lane} is {condition}" for lane, condition in await cursor.fetchall())]
