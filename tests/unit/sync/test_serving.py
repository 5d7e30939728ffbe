"""Roles on the I/O thread of a threaded program."""

import logging
import threading
from collections.abc import AsyncIterator

import pytest

from goatherd import Goatherd
from goatherd.sync import blocking
from goatherd.sync.process import Process
from goatherd.testing import testing


def test_a_with_block_works_and_stops(app: Goatherd) -> None:
    told: list[str] = []

    @app.lifespan
    async def life() -> AsyncIterator[None]:
        told.append(f"begun on {threading.current_thread().name}")
        yield
        told.append(f"ended on {threading.current_thread().name}")

    with blocking(app).serve("worker") as shop:
        assert repr(shop) == "blocking(<Goatherd shop>)"
        assert blocking(app.tasks["double"]).call(4) == 8
        assert shop.health().queues["shop"].consumers == 1
    assert told == ["begun on goatherd-io", "ended on goatherd-io"]
    assert blocking(app).health().queues["shop"].consumers == 0


def test_without_a_with_block_it_goes_on_until_the_app_is_closed(app: Goatherd) -> None:
    serving = blocking(app).serve("worker")
    assert blocking(app.tasks["double"]).call(4) == 8
    blocking(app).close()
    with serving:
        pass  # stopped already
    assert blocking(app).health().queues["shop"].consumers == 0


def test_a_lifespan_that_fails_is_told_and_nothing_is_served(app: Goatherd) -> None:
    @app.lifespan
    async def broken() -> AsyncIterator[None]:
        raise LookupError("no model here")
        yield

    with pytest.raises(LookupError, match="no model here"):
        blocking(app).serve("worker")
    assert blocking(app).health().queues["shop"].consumers == 0


def test_a_lifespan_that_fails_at_its_end_is_told_by_the_block(app: Goatherd) -> None:
    @app.lifespan
    async def untidy() -> AsyncIterator[None]:
        yield
        raise LookupError("cannot unload")

    with pytest.raises(LookupError, match="cannot unload"), blocking(app).serve("worker"):
        assert blocking(app.tasks["double"]).call(4) == 8
    assert blocking(app.tasks["double"]).send(4), "the app itself is well"


async def test_a_plain_task_that_sends_can_be_tested(app: Goatherd) -> None:
    """Its thread uses the I/O thread, which must be in the test's world, and in the next test's world afterwards."""

    @app.task
    def passing_on(number: int) -> None:
        blocking(app.tasks["double"]).send(number)

    for number in (7, 8):
        async with testing(app) as t:
            await passing_on.send(number)
            await t.drain()
            [job] = t.jobs(app.tasks["double"])
            assert (job.result, t.dead) == (2 * number, [])


def test_the_thread_is_announced_once(caplog: pytest.LogCaptureFixture) -> None:
    process = Process()
    with caplog.at_level(logging.INFO, "goatherd.sync"):
        first = process.io_thread()
        assert process.io_thread() is first
        assert first.end(10)
    assert [record.message for record in caplog.records] == ["I/O thread started"]
    assert first.is_over
    process.exit()
    with pytest.raises(Exception, match="The interpreter is ending"):
        process.io_thread()
