"""Stories: jobs of users' own transactions, which are sent if and only if these are committed."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import apsw
import psycopg
import pytest

from goatherd import Context, Goatherd
from goatherd.errors import DefinitionError, UnknownJob
from goatherd.sync import blocking
from scripts.servers.addresses import postgres_url
from tests.interop.user_transactions import AWAITED, PLAIN, RolledBack

pytestmark = [pytest.mark.servers("postgres"), pytest.mark.xdist_group("postgres")]


class Shop:
    """An app that notes what it did."""

    def __init__(self, folder: Path, lanes: str = "sqlite") -> None:
        file = f"sqlite:///{folder}/jobs.db"
        lanes_url = postgres_url() if lanes == "postgres" else file
        self.app = Goatherd(f"shop-{uuid4().hex}", broker_url=file, records_url=postgres_url(), lanes_url=lanes_url)
        self.done: list[tuple[str, str]] = []
        self.changed = asyncio.Event()

        @self.app.task
        async def mail(ctx: Context, text: str) -> str:
            self._note(ctx.job_id, text)
            return text.upper()

        @self.app.task(key="post")
        async def comment(ctx: Context, post: int, text: str) -> str:
            self._note(ctx.job_id, text)
            return text.upper()

        self.mail, self.comment = mail, comment

    def _note(self, job: str, text: str) -> None:
        self.done.append((job, text))
        self.changed.set()

    async def until_done(self, *texts: str) -> None:
        """Return when all of these are done."""
        async with asyncio.timeout(30):
            while not set(texts) <= {text for _, text in self.done}:
                self.changed.clear()
                await self.changed.wait()

    @property
    def texts(self) -> list[str]:
        return [text for _, text in self.done]


#: Lanes in a file get their jobs from the outbox; those in the same database get them in the transaction itself.
both_lanes = pytest.mark.parametrize("lanes", ["sqlite", "postgres"])


@pytest.fixture
def lanes() -> str:
    return "sqlite"


@pytest.fixture
async def shop(lanes: str, tmp_path: Path) -> AsyncIterator[Shop]:
    shop = Shop(tmp_path, lanes)
    async with shop.app.serve("worker"):
        yield shop


@pytest.mark.parametrize(
    ("transaction", "lanes"), [*zip(AWAITED, ["sqlite", "postgres", "sqlite"], strict=True), (AWAITED[0], "postgres")]
)
async def test_what_is_committed_is_sent_and_what_is_rolled_back_is_not(shop: Shop, transaction: Any) -> None:
    async def send(text: str, connection: Any) -> list[str]:
        return [
            await shop.mail.options(within=connection).send(f"mail {text}"),
            await shop.comment.options(within=connection).send(7, f"comment {text}"),
            *await shop.app.send_many(shop.mail.options(within=connection).job(f"{n} {text}") for n in range(3)),
        ]

    with pytest.raises(RolledBack):
        await transaction(postgres_url(), lambda connection: send("never", connection), False)
    ids = await transaction(postgres_url(), lambda connection: send("once", connection), True)
    await shop.until_done("mail once", "comment once", "0 once", "1 once", "2 once")
    assert sorted(shop.done) == sorted(
        zip(ids, ["mail once", "comment once", "0 once", "1 once", "2 once"], strict=True)
    )


@pytest.mark.parametrize(
    ("transaction", "lanes"), [*zip(PLAIN, ["sqlite", "postgres", "sqlite", "postgres"], strict=True)]
)
async def test_threads_have_the_same(shop: Shop, transaction: Any) -> None:
    app, mail, comment = blocking(shop.app), blocking(shop.mail), blocking(shop.comment)

    def send(text: str, connection: Any) -> list[str]:
        return [
            mail.options(within=connection).send(f"mail {text}"),
            comment.options(within=connection).send(7, f"comment {text}"),
            *app.send_many(shop.mail.options(within=connection).job(f"{n} {text}") for n in range(3)),
        ]

    def transact() -> list[str]:
        with pytest.raises(RolledBack):
            transaction(postgres_url(), lambda connection: send("never", connection), False)
        try:
            ids: list[str] = transaction(postgres_url(), lambda connection: send("once", connection), True)
        finally:
            app.close()
        return ids

    ids = await asyncio.to_thread(transact)
    await shop.until_done("mail once", "comment once", "0 once", "1 once", "2 once")
    assert sorted(shop.done) == sorted(
        zip(ids, ["mail once", "comment once", "0 once", "1 once", "2 once"], strict=True)
    )


@both_lanes
async def test_jobs_of_a_key_keep_the_order_of_their_transactions(shop: Shop) -> None:
    texts = [f"{number}" for number in range(20)]
    async with await psycopg.AsyncConnection.connect(postgres_url()) as connection:
        for text in texts:
            async with connection.transaction():
                await shop.comment.options(within=connection).send(7, text)
    await shop.until_done(*texts)
    assert shop.texts == texts


@both_lanes
@pytest.mark.parametrize("name", ["mail", "comment"])
async def test_a_watched_job_is_unknown_before_the_commit(shop: Shop, name: str) -> None:
    task: Any = {"mail": shop.mail, "comment": shop.comment}[name]
    arguments: tuple[Any, ...] = ("hello",) if name == "mail" else (7, "hello")
    async with await psycopg.AsyncConnection.connect(postgres_url()) as connection:
        async with connection.transaction():
            run = await task.options(within=connection).start(*arguments)
            with pytest.raises(UnknownJob):
                await run.status()
        # What has just been committed is waited for.
        assert await run.result(timeout=30) == "HELLO"
        assert [type(event).__name__ async for event in run.events()][-1] == "Done"


async def test_options_travel_along(shop: Shop) -> None:
    async with await psycopg.AsyncConnection.connect(postgres_url()) as connection, connection.transaction():
        given = shop.mail.options(within=connection)
        assert await given.options(id="order-7").send("first") == "order-7"
        assert await given.options(id="order-7").send("second") == "order-7"
        first = await given.options(unique="until_done").send("again")
        assert await given.options(unique="until_done").send("again") == first
        await given.options(delay=0.4).send("late")
        await given.options(deadline=0.05, delay=0.3).send("expired")
        await given.send("at once")
    await shop.until_done("late")
    assert sorted(shop.texts) == ["again", "at once", "first", "late"]
    # It has ended, so that there may be another.
    assert await shop.mail.options(unique="until_done").send("again") != first


async def test_a_connection_that_commits_by_itself_sends_at_once(shop: Shop) -> None:
    async with await psycopg.AsyncConnection.connect(postgres_url(), autocommit=True) as connection:
        await shop.mail.options(within=connection).send("at once")
    await shop.until_done("at once")


async def test_mistakes_are_told(shop: Shop, tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match="apsw"):
        await shop.mail.options(within=apsw.Connection(":memory:")).send("x")
    with pytest.raises(DefinitionError, match="str is none"):
        await shop.mail.options(within="connection").send("x")  # type: ignore[arg-type]
    async with await psycopg.AsyncConnection.connect(postgres_url()) as connection:
        with pytest.raises(ValueError, match="within= is for `send`"):
            await shop.mail.options(within=connection).call("x")
    own = Shop(tmp_path)
    own.app.settings = own.app.settings.__class__(app=own.app.name, broker_url=own.app.settings.broker_url,
                                                  default_queue=own.app.name)  # fmt: skip
    async with own.app, await psycopg.AsyncConnection.connect(postgres_url()) as connection:
        with pytest.raises(DefinitionError, match="GOATHERD_RECORDS_URL"):
            await own.mail.options(within=connection).send("x")


@both_lanes
async def test_another_database_is_refused(shop: Shop) -> None:
    name = f"other_{uuid4().hex}"
    async with await psycopg.AsyncConnection.connect(postgres_url(), autocommit=True) as operator:
        await operator.execute(f"CREATE DATABASE {name}".encode())
        try:
            url = postgres_url().rpartition("/")[0] + f"/{name}"
            async with await psycopg.AsyncConnection.connect(url) as connection:
                for task, arguments in ((shop.mail, ("x",)), (shop.comment, (7, "x"))):
                    with pytest.raises(DefinitionError, match="another database"):
                        await task.options(within=connection).send(*arguments)
                    await connection.rollback()
            # One that belongs to another Goatherd has the tables, and is still not ours.
            other = Goatherd("other", broker_url=shop.app.settings.broker_url, records_url=url)

            @other.task(unique=60)
            async def nothing() -> None: ...

            async with other, await psycopg.AsyncConnection.connect(url) as connection:
                await nothing.send()
                with pytest.raises(DefinitionError, match="another database"):
                    await shop.mail.options(within=connection).send("x")
        finally:
            await operator.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


async def test_an_async_connection_is_not_for_threads(shop: Shop) -> None:
    connection = await psycopg.AsyncConnection.connect(postgres_url())

    def send() -> None:
        try:
            blocking(shop.mail).options(within=connection).send("x")
        finally:
            blocking(shop.app).close()

    async with connection:
        with pytest.raises(DefinitionError, match="async connection"):
            await asyncio.to_thread(send)
