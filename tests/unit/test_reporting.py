"""What operators see of a process: its roles, what it does now, and what it did."""

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from goatherd import Goatherd, Retry
from goatherd.errors import Unavailable
from goatherd.model.health import Health
from goatherd.model.process import Counted, ProcessState
from goatherd.reporting import WELL, Part, StreamCounts, reporting

#: Seconds that a slow machine may take.
PATIENCE = 30.0


@pytest.fixture
def app(tmp_path: Path) -> Goatherd:
    return Goatherd("shop", broker_url=f"sqlite:///{tmp_path}/jobs.db", report_every=0.2, retry=Retry(0))


async def seen(app: Goatherd, come: Callable[[list[ProcessState]], bool]) -> list[ProcessState]:
    """What is on record, once it is as the test waits for."""
    records = await app.session().control_records.processes()
    async with asyncio.timeout(PATIENCE):
        while not come(found := [row.state for row in await records.find()]):
            await asyncio.sleep(0.02)
    return found


async def test_a_worker_and_what_it_does(app: Goatherd) -> None:
    going, go_on = asyncio.Event(), asyncio.Event()

    @app.task(queue="posts", key="post_id")
    async def comment(post_id: int) -> None:
        going.set()
        await go_on.wait()

    @app.task(queue="mail")
    async def mail() -> None: ...

    async with app:
        job = await comment.send(7)
        await mail.send()
        async with app.serve("worker"):
            await going.wait()
            [state] = await seen(app, lambda found: any(each.running for each in found))
            [running] = state.running
            assert (running.job_id, running.task, running.queue, running.key) == (job, "comment", "posts", "post_id=7")
            assert state.running_count == 1
            assert (state.roles, state.pid, state.concurrency) == (("worker",), os.getpid(), 16)
            assert set(state.queues) == {"posts", "mail"}
            assert state.ready
            assert state.memory is None or state.memory > 1_000_000
            go_on.set()
            await seen(app, lambda found: not any(each.running for each in found))
        assert await seen(app, lambda found: not found) == []
        counts = await (await app.session().control_records.processes()).counts(3600)
        assert counts["mail"] == Counted(sent=1, done=1)
        assert counts["posts"].done == 1


async def test_a_worker_is_seen_until_its_last_job_has_ended(app: Goatherd) -> None:
    going, go_on = asyncio.Event(), asyncio.Event()

    @app.task
    async def work() -> None:
        going.set()
        await go_on.wait()

    async def serve() -> None:
        async with app.serve("worker"):
            await going.wait()

    async with app:
        await work.send()
        serving = asyncio.create_task(serve(), name="a worker that stops")
        async with asyncio.timeout(PATIENCE):
            while not going.is_set() or "worker" in app.session().roles:
                await asyncio.sleep(0.02)
        await seen(app, lambda found: any(each.running for each in found))
        assert not serving.done()
        go_on.set()
        await serving
        counts = await (await app.session().control_records.processes()).counts(3600)
        assert counts["shop"] == Counted(sent=1, done=1)


async def test_several_roles_are_one_process(app: Goatherd) -> None:
    @app.task
    async def work() -> None: ...

    async with app.serve("worker", "scheduler", "router"):
        [state] = await seen(app, lambda found: any(len(each.roles) == 3 for each in found))
        assert set(state.roles) == {"worker", "scheduler", "router"}


async def test_who_comes_again_is_another_process(app: Goatherd) -> None:
    part = Part(role="router")
    async with app:
        async with reporting(app, part):
            [first] = await seen(app, bool)
        async with reporting(app, part):
            [second] = await seen(app, bool)
    assert first.id != second.id


async def test_what_failed_and_died_is_counted(app: Goatherd) -> None:
    @app.task
    async def fail() -> None:
        raise LookupError

    async with app:
        await fail.send()
        async with app.serve("worker"), asyncio.timeout(PATIENCE):
            while not await app.session().ports.dead_letters.count():
                await asyncio.sleep(0.02)
        counts = await (await app.session().control_records.processes()).counts(3600)
        assert counts["shop"] == Counted(sent=1, dead=1)


async def test_streams_are_counted_also_by_a_role_that_ends_first(app: Goatherd) -> None:
    streams = StreamCounts()
    async with app:
        async with reporting(app, Part(role="worker")):
            async with reporting(app, Part(role="gateway", streams=streams)):
                streams.connections = 3
                await seen(app, lambda found: any(each.streams == 3 for each in found))
                streams.events = 40
            [state] = await seen(app, lambda found: any(each.roles == ("worker",) for each in found))
            assert state.streams == 0
        samples = await (await app.session().control_records.processes()).throughput(60, 10)
        assert sum(each.stream_events for each in samples) == 40


async def test_no_reports_are_wanted(tmp_path: Path) -> None:
    silent = Goatherd("shop", broker_url=f"sqlite:///{tmp_path}/jobs.db", report_every=0)

    @silent.task
    async def work() -> None: ...

    async with silent.serve("worker"):
        assert not silent.presences


async def test_no_file_is_made_for_it_beside_a_broker_on_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    afar = Goatherd("shop", broker_url="amqp://localhost", report_every=0.05)
    async with reporting(afar, Part(role="worker")):
        assert not any(task.get_name() == "goatherd reporter" for task in asyncio.all_tasks())
        async with reporting(afar, Part(role="router")):
            # Which has the file anyway.
            assert any(task.get_name() == "goatherd reporter" for task in asyncio.all_tasks())
    assert not any(task.get_name() == "goatherd reporter" for task in asyncio.all_tasks())


async def test_a_role_that_is_not_well_says_why(app: Goatherd, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(*_: object) -> None:
        raise Unavailable("the broker is away")

    async with app:
        monkeypatch.setattr(app.session().ports.operations, "queues", away)
        async with reporting(app, Part(role="worker")):
            [state] = await seen(app, bool)
            assert not state.ready
            assert state.reasons == ("broker: the broker is away",)


async def test_a_gateway_alone_says_how_it_is(app: Goatherd, tmp_path: Path) -> None:
    async def unwell() -> Health:
        return replace(WELL, ready=False, reasons=["events: away"])

    async with reporting(app, Part(role="gateway", health=unwell)):
        # An app of another process; this one is not open here.
        async with Goatherd("shop", broker_url=app.settings.broker_url) as other:
            [state] = await seen(other, bool)
        assert (state.ready, state.reasons) == (False, ("events: away",))


async def test_two_loops_of_one_process_count_once_together(app: Goatherd) -> None:
    @app.task
    async def work() -> None: ...

    async def elsewhere() -> None:
        async with app, reporting(app, Part(role="gateway")):
            await seen(app, lambda found: len(found) == 2)
            await work.send()

    async with app:
        async with reporting(app, Part(role="worker")):
            await work.send()
            async with asyncio.timeout(PATIENCE):
                await asyncio.to_thread(asyncio.run, elsewhere())
        counts = await (await app.session().control_records.processes()).counts(3600)
        assert counts == {"shop": Counted(sent=2)}
