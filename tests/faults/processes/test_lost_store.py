"""PostgreSQL is killed and comes back while processes report: all that they counted is there, and nothing twice."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from uuid import uuid4

import pytest

from goatherd import Goatherd
from goatherd.errors import Unavailable
from goatherd.model.process import Counted
from scripts.servers.postgres import Postgres
from scripts.servers.proxy import Proxy
from tests.faults.test_postgres_lanes import through
from tests.faults.watching import until

pytestmark = [pytest.mark.servers("postgres"), pytest.mark.xdist_group("own postgres"), pytest.mark.timeout(180)]

JOBS = 40


def shop(tmp_path: Path, records_url: str) -> tuple[Goatherd, Callable[[], Awaitable[None]]]:
    app = Goatherd(
        f"shop-{uuid4().hex}",
        broker_url=f"sqlite:///{tmp_path}/jobs.db",
        records_url=records_url,
        report_every=0.2,
        publish_deadline=2.0,
    )

    @app.task(queue="mail")
    async def mail(number: int) -> None: ...

    async def send() -> None:
        await app.send_many(mail.job(number) for number in range(JOBS))

    return app, send


async def counted(app: Goatherd) -> Counted:
    records = await app.session().control_records.processes()
    return (await records.counts(3600)).get("mail", Counted())


async def done(app: Goatherd, count: int) -> None:
    """So many are done in this process, whoever knows of it."""

    def all_done() -> bool:
        return sum(app.meter.readings().ended.values()) == count

    await until(all_done, f"{count} jobs to be done")


async def test_what_was_counted_while_it_was_away_is_told_when_it_is_back(
    own_postgres: Postgres, tmp_path: Path
) -> None:
    app, send = shop(tmp_path, own_postgres.url)
    async with app:
        async with app.serve("worker"):
            await send()
            await done(app, JOBS)
            await until(lambda: told(app, JOBS), "the first jobs to be on record")
            own_postgres.kill()
            await send()
            await done(app, 2 * JOBS)
            # Long enough for reports to fail.
            await asyncio.sleep(1.0)
            own_postgres.start()
            await until(lambda: told(app, 2 * JOBS), "the others to be on record")
            [row] = await (await app.session().control_records.processes()).find()
            assert row.state.roles == ("worker",)
        assert await counted(app) == Counted(sent=2 * JOBS, done=2 * JOBS)


async def test_reports_whose_answers_are_lost_count_once(own_postgres: Postgres, tmp_path: Path) -> None:
    async with Proxy(own_postgres.port) as proxy:
        app, send = shop(tmp_path, through(proxy, own_postgres))
        async with app:
            async with app.serve("worker"):
                for _ in range(6):
                    await send()
                    await asyncio.sleep(0.2)
                    proxy.cut()
                await done(app, 6 * JOBS)
                await until(lambda: told(app, 6 * JOBS), "all of them to be on record")
            assert await counted(app) == Counted(sent=6 * JOBS, done=6 * JOBS)


async def told(app: Goatherd, count: int) -> bool:
    try:
        return (await counted(app)).done == count
    except Unavailable:
        return False
