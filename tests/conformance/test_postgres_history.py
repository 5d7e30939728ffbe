"""The suite of the history on PostgreSQL, and what becomes of it when the server is killed or cut off."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import pytest

from goatherd.adapters.postgres.address import read_address
from goatherd.adapters.postgres.connection import connected
from goatherd.adapters.postgres.history import PostgresHistory
from goatherd.adapters.postgres.history_sql import DROP_OLD
from goatherd.adapters.postgres.opening import open_history
from goatherd.errors import SettingsError, Unavailable
from goatherd.model.event import Event
from goatherd.model.ids import new_id
from goatherd.model.job_order import number_of
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.ports.records import JobHistory
from goatherd.testing.suites import HistorySuite
from goatherd.testing.suites.history import T, done, failed, note, queued, stage, started
from goatherd.wiring import open_history as open_by_wiring
from scripts.servers.addresses import postgres_url
from scripts.servers.postgres import Postgres, ensure_postgres
from scripts.servers.proxy import Proxy
from tests.conformance.postgres_store import forget_history, operator

pytestmark = pytest.mark.servers("postgres")


def settings(app: str, url: str | None = None, **more: Any) -> Settings:
    """An app whose history is in the database."""
    return Settings(broker_url="sqlite:///unused.db", default_queue="suite", app=app,
                    records_url=url or postgres_url(), **more)  # fmt: skip


@asynccontextmanager
async def client(app: str, url: str | None = None, **more: Any) -> AsyncIterator[PostgresHistory]:
    history = await open_history(settings(app, url, **more))
    try:
        yield history
    finally:
        await history.close()


async def where(history: PostgresHistory, job: str) -> tuple[int, str]:
    record = await history.find(job)
    assert record is not None
    return record.state.seq, record.state.status


@pytest.fixture
async def app() -> AsyncIterator[str]:
    app = f"suite-{uuid4().hex}"
    yield app
    await forget_history(app)


class TestPostgresHistory(HistorySuite):
    @pytest.fixture
    def store(self, app: str) -> str:
        return app

    async def open(self, store: str) -> JobHistory:
        return await open_by_wiring(settings(store), SystemClock())


async def test_apps_that_share_a_database_do_not_see_each_other(app: str) -> None:
    async with client(app) as mine, client(f"{app}-other") as others:
        await mine.note([note("order-17", "aa", 1, queued())])
        assert await others.find("order-17") is None
        assert await others.drop(T + 1, 10) == 0
        assert await where(mine, "order-17") == (1, "queued")


async def test_apps_that_share_their_events_share_the_history(app: str) -> None:
    async with client("writer", event_prefix=app) as writer, client("reader", event_prefix=app) as reader:
        await writer.note([note("order-17", "aa", 1, queued())])
        assert await where(reader, "order-17") == (1, "queued")


async def test_of_two_who_note_the_same_jobs_at_once_the_newest_remains(app: str) -> None:
    """In opposite orders, each with old news for the other."""
    jobs = [new_id() for _ in range(20)]
    steps: list[list[Event]] = [
        [queued()], [started()], [stage("a")], [stage("b")], [started(2)], [stage("c", 2)], [done(2)]
    ]  # fmt: skip
    async with client(app) as one, client(app) as two:

        async def tell(history: PostgresHistory, jobs: list[str]) -> None:
            for seq, events in enumerate(steps, 1):
                await history.note([note(job, "aa", seq, *events) for job in jobs])

        await asyncio.gather(tell(one, jobs), tell(two, jobs[::-1]), tell(one, jobs[::-1]), tell(two, jobs))
        assert {await where(one, job) for job in jobs} == {(7, "done")}
        record = await two.find(jobs[0])
        assert record is not None
        assert (record.queued_at, record.started_at, record.ended_at) == (T, T + 1, T + 9)


async def test_what_another_has_written_since_it_was_read_is_not_written_over(app: str) -> None:
    """The other one holds the row while this one reads it, so both have seen the same."""
    async with client(app) as history, operator() as other:
        await history.note([note("order-17", "aa", 1, queued())])
        async with other.transaction():
            await other.execute("UPDATE goatherd.job_record SET seq = 9, status = 'done' WHERE prefix = %s", (app,))
            noting = asyncio.create_task(history.note([note("order-17", "aa", 5, started())]))
            await until_waiting(app)
        await noting
        assert await where(history, "order-17") == (9, "done")


async def test_one_who_is_frozen_while_he_writes_is_not_waited_for_long(app: str) -> None:
    frozen = await connected(read_address(postgres_url()), "frozen", deadline=0.3)
    try:
        async with client(app) as history:
            await history.note([note("order-17", "aa", 1, queued())])
            await frozen.execute("BEGIN")
            await frozen.execute("UPDATE goatherd.job_record SET seq = 9 WHERE prefix = %s", (app,))
            await history.note([note("order-17", "aa", 2, started())])
            assert await where(history, "order-17") == (2, "running")
    finally:
        await frozen.close()


async def test_what_another_is_about_to_write_is_not_dropped(app: str) -> None:
    async with client(app) as history, operator() as other:
        await history.note([note(job, "aa", 1, queued()) for job in ("a", "b")])
        async with other.transaction():
            await other.execute("SELECT FROM goatherd.job_record WHERE prefix = %s AND job = 'a' FOR UPDATE", (app,))
            assert await history.drop(T + 1, 10) == 1
        assert await where(history, "a") == (1, "queued")
        assert await history.find("b") is None


async def until_waiting(app: str) -> None:
    """Until a connection of the app waits for a lock."""
    async with operator() as connection, asyncio.timeout(10):
        while True:
            cursor = await connection.execute(
                "SELECT 1 FROM pg_stat_activity WHERE application_name = %s AND wait_event_type = 'Lock'",
                (f"goatherd {app}",),
            )
            if await cursor.fetchone() is not None:
                return
            await asyncio.sleep(0.01)


async def test_what_is_no_text_for_the_server_is_kept_as_far_as_it_is(app: str) -> None:
    odd = ["a\0b", "a\ufffdb", "half \ud83d", "x" * 5000, "x" * 5001, "🐐"]
    async with client(app) as history:
        await history.note([note(job, "aa", n, queued(), stage("in\0side")) for n, job in enumerate(odd, 1)])
        await history.note([note("a", "aa", 1, failed())])
        assert [await where(history, job) for job in odd] == [(n + 1, "running") for n in range(1, 7)]
        record = await history.find(odd[0])
        assert record is not None
        assert (record.job, record.state.stage) == (odd[0], "in\ufffdside")
        assert await history.find("never\0heard of") is None


async def test_what_can_never_be_written_is_not_to_be_tried_again(app: str) -> None:
    async with client(app) as history:
        with pytest.raises(ValueError, match="cannot be kept"):
            await history.note([note("good", "aa", 1, queued()), note("bad", "aa", 1, started(10**30))])
        assert await history.find("good") is None
        await history.note([note("good", "aa", 1, queued())])
        assert await where(history, "good") == (1, "queued")


async def test_old_jobs_are_found_through_the_index(app: str) -> None:
    fill = """
        INSERT INTO goatherd.job_record
        SELECT %s, 'job-' || n, 0, n * 1024000000, 'aa', 1, 'done', 1, '', NULL, NULL, '', '', '', true,
               n, n, n, n, n, '', ''
        FROM generate_series(1::bigint, 20000) n
    """
    words = "INSERT INTO goatherd.job_words SELECT prefix, number, job, '' FROM goatherd.job_record WHERE prefix = %s"
    async with client(app) as history, operator() as connection:
        await connection.execute(fill, (app,))
        await connection.execute(words, (app,))
        await connection.execute("ANALYZE goatherd.job_record, goatherd.job_words")
        assert [await history.drop(15_000, 500) for _ in range(3)] == [500] * 3
        cursor = await connection.execute("SELECT min(at) FROM goatherd.job_record WHERE prefix = %s", (app,))
        assert await cursor.fetchone() == (1501,)
        cursor = await connection.execute("SELECT count(*) FROM goatherd.job_words WHERE prefix = %s", (app,))
        assert await cursor.fetchone() == (18_500,)
        asked = (app, number_of(15_000), 15_000, 500)
        plan = await (await connection.execute(f"EXPLAIN {DROP_OLD}".encode(), asked)).fetchall()
        assert any("job_words_pkey" in line for [line] in plan)
        assert not any("Seq Scan" in line for [line] in plan)


async def test_a_database_that_lacks_characters_is_refused() -> None:
    name = f"latin_{uuid4().hex}"
    async with operator() as connection:
        await connection.execute(f"CREATE DATABASE {name} ENCODING LATIN1 LOCALE 'C' TEMPLATE template0".encode())
        try:
            with pytest.raises(SettingsError, match="LATIN1"):
                await open_history(settings("shop", postgres_url().rpartition("/")[0] + f"/{name}"))
        finally:
            await connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


async def test_a_server_that_is_not_there_is_told_with_the_setting() -> None:
    with pytest.raises(Unavailable, match="GOATHERD_RECORDS_URL"):
        await open_history(settings("shop", "postgresql://127.0.0.1:1/none"))


# --- a server of one's own ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    ensure_postgres()
    with Postgres(tmp_path_factory.mktemp("postgres")) as server:
        yield server


@pytest.mark.xdist_group("own postgres")
async def test_nothing_that_was_acknowledged_is_lost_when_the_server_is_killed(server: Postgres) -> None:
    """Two routers, of which each repeats what was not acknowledged, and a server that is killed in the middle."""
    written: dict[str, int] = {}
    on = True
    async with client("killed", server.url, publish_deadline=20) as one, client("killed", server.url) as two:

        async def tell(history: PostgresHistory) -> None:
            while on:
                jobs = [new_id() for _ in range(20)]
                life: tuple[Event, ...] = (queued(), started(), done())
                for seq, event in enumerate(life, 1):
                    notes = [note(job, "aa", seq, event) for job in jobs]
                    await stubbornly(history, notes)
                    written.update(dict.fromkeys(jobs, seq))

        async def grows() -> None:
            wanted = len(written) + 200
            while len(written) < wanted:
                await asyncio.sleep(0.005)

        tasks = [asyncio.create_task(tell(history)) for history in (one, two)]
        async with asyncio.timeout(40):
            await grows()
            await asyncio.to_thread(server.kill)
            acknowledged = dict(written)
            await asyncio.to_thread(server.start)
            kept = await seqs(server)
            assert [job for job, seq in acknowledged.items() if kept.get(job, 0) < seq] == []
            await grows()
            on = False
            await asyncio.gather(*tasks)
    assert await seqs(server) == dict.fromkeys(written, 3)


async def seqs(server: Postgres) -> dict[str, int]:
    """How far each job is on record."""
    async with operator(server.url) as connection:
        cursor = await connection.execute("SELECT job, seq FROM goatherd.job_record WHERE prefix = 'killed'")
        return dict(await cursor.fetchall())


async def stubbornly(history: PostgresHistory, notes: list[Any]) -> None:
    while True:
        try:
            return await history.note(notes)
        except Unavailable:
            continue


@pytest.mark.xdist_group("own postgres")
async def test_a_connection_that_is_cut_is_made_again(server: Postgres) -> None:
    async with Proxy(server.port) as proxy:
        url = server.url.replace(f":{server.port}/", f":{proxy.port}/")
        async with client("cut", url, publish_deadline=0.5) as history:
            await history.note([note("a", "aa", 1, queued())])
            proxy.cut()
            await history.note([note("a", "aa", 2, started())])
            proxy.refuse()
            proxy.cut()
            for call in (history.note([note("a", "aa", 3, done())]), history.find("a"), history.drop(T, 1)):
                with pytest.raises(Unavailable, match="GOATHERD_RECORDS_URL"):
                    await call
            proxy.refuse(refusing=False)
            assert await where(history, "a") == (2, "running")
            # Half-dead, it is no better.
            proxy.stall()
            with pytest.raises(Unavailable):
                await history.note([note("a", "aa", 3, done())])
            proxy.cut()
            proxy.flow()
            await history.note([note("a", "aa", 3, done())])
            assert await where(history, "a") == (3, "done")
