"""A router writes what became of a job; a gateway tells it when the events are long gone."""

from collections.abc import AsyncIterator

import pytest

from goatherd.model.ids import new_id
from goatherd.model.job_record import JobRecord
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.testing.suites.event_store import done
from goatherd.testing.suites.receiver import eventually
from goatherd.wiring import open_history
from scripts.servers.addresses import postgres_url, redis_url
from tests.acceptance.cli.stage import Stage
from tests.acceptance.gateway.desk import Desk
from tests.conformance.postgres_store import operator


@pytest.fixture(params=["files", pytest.param("servers", marks=pytest.mark.servers("redis", "postgres"))])
async def settings(request: pytest.FixtureRequest, stage: Stage) -> AsyncIterator[Settings]:
    """On files alone; and with events on Redis and history on PostgreSQL, which machines can share."""
    broker = f"sqlite:///{stage.folder}/shop.db"
    if request.param == "files":
        yield Settings(broker_url=broker, default_queue="shop", app="shop")
        return
    prefix = f"shop-{new_id()}"
    yield Settings(
        broker_url=broker, default_queue="shop", app="shop", events_url=redis_url(), records_url=postgres_url(),
        event_prefix=prefix,
    )  # fmt: skip
    stage.close()
    async with operator() as connection:
        await connection.execute("DELETE FROM goatherd.job_record WHERE prefix = %s", (prefix,))


async def on_record(settings: Settings, job: str) -> None:
    history = await open_history(settings, SystemClock())

    async def ended() -> JobRecord | None:
        record = await history.find(job)
        return record if record is not None and record.state.closed else None

    try:
        await eventually(ended, f"{job} to be on record")
    finally:
        await history.close()


async def test_what_became_of_a_job_is_told_after_its_events_are_gone(desk: Desk, settings: Settings) -> None:
    # Jobs of the story are years old, so their history must be kept for longer than that.
    router = desk.stage.start("router", "shop:app", **desk.environment, GOATHERD_HISTORY_DAYS="1e6")
    router.hear("Events of app 'shop' from .*, history in " + settings.record_store.partition("://")[0])
    author = await desk.job()
    await author.say("what nobody has kept")
    await author.write(done())
    await on_record(settings, author.job)
    await desk.events.forget(author.job)
    desk.start()
    for _ in range(2):
        async with desk.watching(author.job) as page:
            reader = await page.over()
        assert (reader.events, reader.text) == (["done"], "")
        assert reader.frames[0].content["result"] == {"answer": 42}
    assert (await desk.get(author.job, last_event_id=reader.last_id)).status_code == 204
    assert (await desk.get(new_id())).status_code == 404
