"""The overview tells what it can, and says what it cannot."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from goatherd import Goatherd, Retry
from goatherd.desk import overview as module
from goatherd.desk.errors import NotThere
from goatherd.desk.overview import overview
from goatherd.desk.processes import look_at_processes, process
from goatherd.desk.throughput import rates, throughput
from goatherd.errors import Unavailable
from goatherd.model.process import BUCKET, Counted, ProcessReport, RunningJob
from goatherd.ports.processes import ProcessRecords
from goatherd.testing.suites.process_records import state_of


@pytest.fixture
def app(tmp_path: Path) -> Goatherd:
    app = Goatherd("shop", broker_url=f"sqlite:///{tmp_path}/jobs.db", retry=Retry(0))

    @app.task(queue="mail")
    async def mail(number: int) -> None: ...

    @app.task(queue="posts", key="post")
    async def comment(post: int) -> None: ...

    @app.every(3600)
    async def archive() -> None: ...

    return app


@pytest.fixture
async def records(app: Goatherd, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ProcessRecords]:
    """The app is open, and no look is good for the next."""
    monkeypatch.setattr(module, "FRESH_FOR", 0.0)
    async with app:
        yield await app.session().control_records.processes()


async def test_a_new_app_has_nothing(app: Goatherd, records: ProcessRecords) -> None:
    told = await overview(app)
    assert told.troubles == ()
    assert (told.waiting, told.delayed, told.running, told.dead_letters, told.held_lanes) == (0, 0, 0, 0, 0)
    assert (told.processes, told.unhealthy_listeners, told.failed_schedules, told.oldest_age) == (0, 0, (), None)
    assert told.queues == 3, "those of both tasks, and the default one"
    assert [(store.port, store.state) for store in told.stores if store.port == "broker"] == [("broker", "up")]
    assert len(told.throughput) == 120
    assert told.rates is not None
    assert told.rates.done == 0


async def test_what_waits_and_who_is_there(app: Goatherd, records: ProcessRecords) -> None:
    await app.tasks["mail"].send(1)
    await app.tasks["mail"].options(delay=600).send(2)
    await app.session().ports.controls.pause("posts")
    job = RunningJob(job_id="j", task="mail", queue="mail", since=100.0)
    busy = state_of("a", roles=("worker", "gateway"), running=(job,), running_count=4, streams=7)
    await records.report(ProcessReport(state=busy, number=1), 60)
    ill = state_of("b", ready=False, reasons=("broker: away",))
    await records.report(ProcessReport(state=ill, number=1), 60)
    told = await overview(app)
    assert (told.waiting, told.delayed, told.paused_queues, told.abandoned_queues) == (1, 1, ("posts",), ("mail",))
    assert told.oldest_age is not None
    assert (told.processes, told.roles, told.streams) == (2, {"worker": 2, "gateway": 1}, 7)
    assert [(each.id, each.reasons) for each in told.unready] == [("b", ("broker: away",))]


async def test_those_who_ask_together_see_one_look(app: Goatherd, monkeypatch: pytest.MonkeyPatch) -> None:
    async with app:
        assert await overview(app) is await overview(app)


async def test_a_part_that_is_away_does_not_hide_the_others(
    app: Goatherd, records: ProcessRecords, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object, **__: object) -> None:
        raise Unavailable("the store is away")

    async def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(records, "find", away)
    monkeypatch.setattr(app.session().ports.dead_letters, "count", broken)
    told = await overview(app)
    assert {each.part: each.why for each in told.troubles} == {
        "processes": "the store is away",
        "dead letters": "Goatherd failed at this; its log says how",
    }
    assert (told.processes, told.dead_letters, told.waiting) == (None, None, 0)


async def test_a_part_that_hangs_is_not_waited_for(
    app: Goatherd, records: ProcessRecords, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: object) -> None:
        await asyncio.get_running_loop().create_future()

    monkeypatch.setattr(records, "find", never)
    monkeypatch.setattr(module, "DEADLINE", 0.2)
    told = await overview(app)
    assert {each.part: each.why for each in told.troubles}["processes"] == "no answer within 0.2 s"


async def test_processes(app: Goatherd, records: ProcessRecords) -> None:
    job = RunningJob(job_id="j", task="mail", queue="mail", key="post=1", since=100.0)
    state = state_of("a", running=(job,), running_count=2, memory=5, queues=("mail",), concurrency=3)
    await records.report(ProcessReport(state=state, number=1), 60)
    [facts] = await look_at_processes(app)
    assert (facts.id, facts.running_count, facts.memory, facts.queues) == ("a", 2, 5, ("mail",))
    assert facts.started.timestamp() == state.started
    [now] = facts.running
    assert (now.job_id, now.key, now.since.timestamp()) == ("j", "post=1", 100.0)
    assert (await process(app, "a")).id == "a"
    # Lanes and jobs know who has them by a name of the worker's own.
    for name in (f"{facts.host}:{facts.pid}", f"{facts.host}:{facts.pid}:0123abcd"):
        assert (await process(app, name)).id == "a"
    with pytest.raises(NotThere, match="There is no process 'b'"):
        await process(app, "b")


async def test_throughput_and_rates(app: Goatherd, records: ProcessRecords) -> None:
    # Spread over the last minute, of which half is looked at for the rates.
    counted = {"mail": Counted(done=600, dead=60), "posts": Counted(done=60)}
    report = ProcessReport(state=state_of("a"), number=1, counted=counted, stream_events=120, seconds=6.0 * BUCKET)
    await records.report(report, 60)
    points = await throughput(app, last=120, step=60)
    assert len(points) == 2
    assert sum(point.done for point in await throughput(app, last=600, step=60)) == 660
    assert sum(point.done for point in await throughput(app, last=600, step=60, queue="posts")) == 60
    now = await rates(app)
    assert (now.done, now.dead, now.stream_events) == (11.0, 1.0, 2.0)
    assert (await rates(app, "posts")).done == 1.0
