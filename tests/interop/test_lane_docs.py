"""The pages about lanes are true on the servers that they speak of.

Blocks with the note `not run: on PostgreSQL` are left out where the other pages are tested, and so are those `on Redis
lanes`. Here they are run; what stands behind the comma is the note under which they are taken.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import pytest

from scripts.servers.addresses import postgres_url, redis_url
from tests.conformance.postgres_store import operator
from tests.docs.markdown import DOCS, blocks
from tests.docs.story import Story

pytestmark = pytest.mark.timeout(180)


@pytest.fixture
def database() -> Iterator[str]:
    """One that nobody has used."""
    name = f"docs_{uuid4().hex}"
    asyncio.run(_do(f"CREATE DATABASE {name}"))
    yield urlunsplit(urlsplit(postgres_url())._replace(path=f"/{name}"))
    asyncio.run(_do(f"DROP DATABASE {name} WITH (FORCE)"))


async def _do(statement: str) -> None:
    async with operator() as connection:
        await connection.execute(statement.encode())


class OnServer(Story):
    """In a shell where its address is set."""

    def __init__(self, folder: Path, **variables: str) -> None:
        super().__init__(folder)
        self._environment |= variables

    def follow(self, page: str, note: str) -> None:
        """Take the blocks of a page that are for that server, and the files that they need."""
        try:
            for block in blocks(DOCS / "howto" / page):
                if block.note.startswith(note):
                    taken = block.note.removeprefix(note).lstrip(", ")
                    self.take(replace(block, note="" if taken == "saved" else taken))
                elif block.file is not None and not block.note:
                    self.take(block)
        finally:
            for terminal in self.terminals:
                terminal.close()


@pytest.mark.servers("postgres")
@pytest.mark.parametrize("page", ["postgresql.md", "effects-once.md"])
def test_the_page_works_on_postgres(page: str, tmp_path: Path, database: str) -> None:
    OnServer(tmp_path, GOATHERD_LANES_URL=database, DATABASE_URL=database).follow(page, "not run: on PostgreSQL")


@pytest.mark.servers("postgres")
def test_the_page_of_the_outbox_works(tmp_path: Path, database: str) -> None:
    OnServer(tmp_path, DATABASE_URL=database).follow("outbox.md", "not run: on PostgreSQL")


@pytest.mark.servers("redis")
@pytest.mark.xdist_group("redis")
def test_the_page_works_on_redis(tmp_path: Path) -> None:
    OnServer(tmp_path, GOATHERD_LANES_URL=redis_url()).follow("redis.md", "not run: on Redis lanes")
