"""Stories: runs of pipelines that users begin in their own transactions."""

import asyncio
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from goatherd import Goatherd
from goatherd.errors import DefinitionError, UnknownJob
from goatherd.sync import blocking
from scripts.servers.addresses import postgres_url
from tests.interop.user_transactions import RolledBack, async_psycopg, async_sqlalchemy, django, plain_psycopg

pytestmark = [pytest.mark.servers("postgres"), pytest.mark.xdist_group("postgres")]


def make(folder: Path, records_url: str | None) -> tuple[Goatherd, Any]:
    app = Goatherd(f"runs-{uuid4().hex}", broker_url=f"sqlite:///{folder}/jobs.db", records_url=records_url)
    shout = app.pipeline("shout", takes=str, gives=str)

    @shout.step(after=shout.input)
    async def louder(text: str) -> str:
        return text.upper()

    @shout.step(after=louder)
    async def twice(text: str) -> str:
        return f"{text} {text}"

    return app, shout


@pytest.mark.parametrize("transaction", [async_psycopg, async_sqlalchemy])
async def test_a_run_is_begun_if_and_only_if_its_transaction_commits(transaction: Any, tmp_path: Path) -> None:
    app, shout = make(tmp_path, postgres_url())
    async with app.serve("worker"):
        runs = []

        async def start(connection: Any) -> Any:
            run = await shout.options(within=connection).start("hello")
            runs.append(run)
            with pytest.raises(UnknownJob):
                await run.status()
            return run

        with pytest.raises(RolledBack):
            await transaction(postgres_url(), start, False)
        run = await transaction(postgres_url(), start, True)
        assert await run.result(timeout=30) == "HELLO HELLO"
        with pytest.raises(UnknownJob):
            await runs[0].status()


@pytest.mark.parametrize("transaction", [plain_psycopg, django])
async def test_threads_have_the_same(transaction: Any, tmp_path: Path) -> None:
    app, shout = make(tmp_path, postgres_url())

    def transact() -> str:
        start = lambda connection: blocking(shout).options(within=connection).start("hello")
        try:
            with pytest.raises(RolledBack):
                transaction(postgres_url(), start, False)
            return str(transaction(postgres_url(), start, True).result(timeout=30))
        finally:
            blocking(app).close()

    async with app.serve("worker"):
        assert await asyncio.to_thread(transact) == "HELLO HELLO"


async def test_records_in_a_file_cannot_take_part(tmp_path: Path) -> None:
    app, shout = make(tmp_path, None)
    async with app, await psycopg.AsyncConnection.connect(postgres_url()) as connection:
        with pytest.raises(DefinitionError, match="GOATHERD_RECORDS_URL"):
            await shout.options(within=connection).start("hello")
