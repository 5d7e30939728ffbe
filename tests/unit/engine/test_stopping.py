"""A worker that is told to stop takes nothing more, finishes what runs, and hands the rest back at once."""

import asyncio
from typing import Any

import pytest

from goatherd import Goatherd
from goatherd.errors import Unavailable
from tests.unit.engine.stage import Notes, at_work, opened


async def test_a_running_job_ends_and_waiting_ones_go_to_another_worker(make_app: Any) -> None:
    app = make_app(concurrency=1, prefetch=10)
    running, go_on = asyncio.Event(), asyncio.Event()
    done: list[int] = []

    @app.task
    async def work(number: int) -> None:
        running.set()
        await go_on.wait()
        done.append(number)

    async with opened(app) as stage, at_work(app) as first:
        await app.send_many(work.job(number) for number in range(5))
        await running.wait()
        await first.saw("delivered", 5)
        stopping = asyncio.create_task(first.worker.stop())
        await first.saw("handed back", 4)
        [queue] = await app.session().ports.operations.queues()
        assert (queue.ready, queue.running) == (4, 1)
        go_on.set()
        await stopping
        assert done == [0]
        assert stage.notes.counted["acked"] == 1
    async with at_work(app) as second:
        await second.saw("acked", 4)
        assert await second.letters() == []
    assert sorted(done) == [0, 1, 2, 3, 4]


async def test_the_grace_period_ends_and_the_job_is_handed_back(make_app: Any) -> None:
    app, running, notes = make_app(grace_period=0.05), asyncio.Event(), Notes()

    @app.task
    async def endless() -> None:
        running.set()
        try:
            await asyncio.Event().wait()
        finally:
            notes("cleaned up")

    async with at_work(app) as stage:
        await endless.send()
        await running.wait()
        await stage.worker.stop()
        assert notes.counted["cleaned up"] == stage.notes.counted["handed back"] == 1
        [queue] = await app.session().ports.operations.queues()
        assert (queue.ready, queue.dead) == (1, 0)


async def test_a_second_signal_cuts_the_grace_period_short(make_app: Any) -> None:
    app, running = make_app(grace_period=3600), asyncio.Event()

    @app.task
    async def endless() -> None:
        running.set()
        await asyncio.Event().wait()

    async with at_work(app) as stage:
        await endless.send()
        await running.wait()
        stopping = asyncio.create_task(stage.worker.stop())
        await asyncio.sleep(0)
        stage.worker.hurry()
        async with asyncio.timeout(20):
            await stopping
        assert stage.notes.counted["handed back"] == 1


async def test_a_job_that_was_handed_back_counts_neither_a_failure_nor_a_death(make_app: Any) -> None:
    app, seen = make_app(grace_period=0), []
    running = asyncio.Event()

    @app.task
    async def interrupted(number: int) -> None:
        seen.append(number)
        running.set()
        if len(seen) < 6:
            await asyncio.Event().wait()

    async with opened(app):
        await interrupted.send(7)
    for _ in range(5):
        async with at_work(app):
            await running.wait()
            running.clear()
    async with at_work(app) as stage:
        await stage.saw("acked")
        assert await stage.letters() == []
    assert seen == [7] * 6


async def test_code_that_will_not_stop_does_not_keep_the_worker(
    make_app: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("goatherd.engine.worker.LAST_WORDS", 0.05)
    app, running, go_on = make_app(grace_period=0), asyncio.Event(), asyncio.Event()

    @app.task
    async def stubborn() -> None:
        running.set()
        while not go_on.is_set():
            try:
                await go_on.wait()
            except asyncio.CancelledError:
                continue

    async with opened(app) as other:
        async with at_work(app) as stage:
            await stubborn.send()
            await running.wait()
            await stage.worker.stop()
        assert "stubborn[" in caplog.text
        assert "did not stop when it was cancelled" in caplog.text
        go_on.set()
        await other.saw("acked")


async def test_a_broker_that_cannot_be_told_does_not_keep_the_worker(
    make_app: Any, caplog: pytest.LogCaptureFixture
) -> None:
    app, running = make_app(grace_period=0, concurrency=1), asyncio.Event()

    @app.task
    async def endless() -> None:
        running.set()
        await asyncio.Event().wait()

    async with at_work(app) as stage:
        await app.send_many([endless.job(), endless.job()])
        await running.wait()
        await stage.saw("delivered", 2)

        async def away(*_: object) -> None:
            raise Unavailable("the disk is full")

        stage.broker.hand_back = away  # type: ignore[method-assign]
        async with asyncio.timeout(20):
            await stage.worker.stop()
    assert "1 jobs were not handed back by name" in caplog.text
    assert "so others get it again: the disk is full" in caplog.text
    async with opened(app):
        [queue] = await app.session().ports.operations.queues()
        assert (queue.ready, queue.running) == (2, 0)


async def test_nothing_is_taken_after_the_stop(app: Goatherd) -> None:
    @app.task
    async def work() -> None: ...

    async with at_work(app) as stage:
        await stage.worker.stop()
        await work.send()
        [queue] = await app.session().ports.operations.queues()
        assert (queue.ready, queue.consumers) == (1, 0)
