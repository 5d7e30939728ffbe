"""Stories: jobs of users' transactions, and unique ones, where jobs go over RabbitMQ and lanes are on Redis."""

import asyncio
import logging
from collections.abc import AsyncIterator
from uuid import uuid4

import psycopg
import pytest

from goatherd import Context, Goatherd
from scripts.servers.addresses import postgres_url, redis_url

pytestmark = [pytest.mark.servers("rabbitmq", "redis", "postgres"), pytest.mark.xdist_group("postgres")]


class Office:
    """An app that notes what it did."""

    def __init__(self, url: str, records_url: str | None) -> None:
        self.app = Goatherd(f"office-{uuid4().hex}", broker_url=url, records_url=records_url, lanes_url=redis_url())
        self.done: list[str] = []
        self.changed = asyncio.Event()
        self.gate = asyncio.Event()

        @self.app.task
        async def mail(text: str) -> None:
            self._note(text)

        @self.app.task(key="post")
        async def comment(post: int, text: str) -> None:
            self._note(text)

        @self.app.task(unique="until_done")
        async def report(ctx: Context, day: int) -> None:
            self._note(f"began {ctx.job_id}")
            await self.gate.wait()
            self._note(f"ended {ctx.job_id}")

        self.mail, self.comment, self.report = mail, comment, report

    def _note(self, text: str) -> None:
        self.done.append(text)
        self.changed.set()

    async def until(self, *texts: str) -> None:
        async with asyncio.timeout(30):
            while not set(texts) <= set(self.done):
                self.changed.clear()
                await self.changed.wait()


@pytest.fixture
async def office(url: str) -> AsyncIterator[Office]:
    office = Office(url, postgres_url())
    async with office.app.serve("worker"):
        yield office


async def test_what_is_committed_is_sent_in_order(office: Office) -> None:
    texts = [f"comment {number}" for number in range(20)]
    async with await psycopg.AsyncConnection.connect(postgres_url()) as connection:
        for text in texts:
            await office.comment.options(within=connection).send(7, text)
            await office.mail.options(within=connection).send(f"mail of {text}")
            await connection.commit()
            await office.comment.options(within=connection).send(7, "never")
            await office.mail.options(within=connection).send("never")
            await connection.rollback()
    await office.until(*texts, *(f"mail of {text}" for text in texts))
    assert [text for text in office.done if text.startswith("comment")] == texts
    assert "never" not in office.done


async def test_one_at_a_time_until_it_is_done(office: Office) -> None:
    first = await office.report.send(7)
    assert await office.report.send(7) == first
    await office.until(f"began {first}")
    async with await psycopg.AsyncConnection.connect(postgres_url()) as connection, connection.transaction():
        assert await office.report.options(within=connection).send(7) == first
    office.gate.set()
    await office.until(f"ended {first}")
    async with asyncio.timeout(30):
        while (second := await office.report.send(7)) == first:
            # It has said so itself, but its worker has not yet.
            await asyncio.sleep(0.01)
    await office.until(f"ended {second}")


async def test_an_id_is_one_job_for_all_processes(office: Office) -> None:
    other = Goatherd(office.app.name, broker_url=office.app.settings.broker_url, records_url=postgres_url())

    @other.task(name="mail", remote=True)
    async def mail(text: str) -> None: ...

    async with other:
        assert await mail.options(id="welcome-7").send("once") == "welcome-7"
        assert await office.mail.options(id="welcome-7").send("twice") == "welcome-7"
        await office.mail.send("last")
    await office.until("once", "last")
    assert "twice" not in office.done


async def test_without_a_database_an_id_is_one_job_for_one_process(
    url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: object, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(str(tmp_path))
    office = Office(url, None)
    office.gate.set()
    async with office.app.serve("worker"):
        named = office.mail.options(id="welcome-7")
        assert [await named.send("once"), await named.send("twice")] == ["welcome-7", "welcome-7"]
        await office.mail.send("last")
        await office.until("once", "last")
        assert "GOATHERD_RECORDS_URL" not in caplog.text
        with caplog.at_level(logging.WARNING, "goatherd.unique"):
            await office.report.send(7)
        assert "GOATHERD_RECORDS_URL" in caplog.text
    assert "twice" not in office.done
