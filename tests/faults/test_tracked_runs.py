"""Workers and the store of events are killed and frozen under a stream: its watchers end with the right text."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from goatherd.events import Done
from scripts.servers.redis import Redis, ensure_redis
from tests.faults.press import PATIENCE, Reader, printing

pytestmark = [pytest.mark.servers("redis"), pytest.mark.xdist_group("own redis"), pytest.mark.timeout(150)]

#: Seconds for which Redis stands still, and by which that may prolong a job.
FREEZE, DELAY = 15.0, 4.0


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[Redis]:
    ensure_redis()
    with Redis(tmp_path / "redis") as server:
        yield server
        server.thaw()


@pytest.fixture(params=["file", "redis"])
def events_url(request: pytest.FixtureRequest) -> str | None:
    return None if request.param == "file" else request.getfixturevalue("redis").url


async def test_after_a_worker_was_killed_the_text_is_that_of_the_last_attempt_alone(
    tmp_path: Path, events_url: str | None
) -> None:
    async with printing(tmp_path, events_url) as press:
        worker = await press.start_worker()
        run = await press.report.start(60, pause=0.03)
        reader = Reader(run)
        await reader.has_read(10)
        worker.kill()
        await press.start_worker()
        last = await reader.to_the_end()
        assert isinstance(last, Done), press.said()
        assert reader.starts == 2
        text, _ = await run.result(PATIENCE)
        assert reader.text == await run.text() == text
        assert press.marks("begin") == 2


async def test_a_job_whose_worker_died_between_its_end_and_the_ack_is_not_done_again(
    tmp_path: Path, events_url: str | None
) -> None:
    async with printing(tmp_path, events_url) as press:
        doomed = await press.start_worker(NEWSROOM_DIES_AT_ACK="yes")
        run = await press.report.start(5, pause=0.0)
        text, _ = await run.result(PATIENCE)
        async with asyncio.timeout(PATIENCE):
            await doomed.wait()
        assert press.marks("ack") == 1
        await press.start_worker()
        other = await press.report.start(1, pause=0.0)
        await other.result(PATIENCE)
        async with asyncio.timeout(PATIENCE):
            while any(state.ready or state.running for state in await press.app.session().ports.operations.queues()):
                await asyncio.sleep(0.02)
        assert press.marks("begin") == 2, "one for each of the two jobs"
        assert await run.text() == text
        reader = Reader(run)
        assert isinstance(await reader.to_the_end(), Done)
        assert reader.starts == 1


async def test_a_redis_that_is_killed_under_a_stream_has_the_right_text_at_the_end(
    tmp_path: Path, redis: Redis
) -> None:
    async with printing(tmp_path, redis.url) as press:
        worker = await press.start_worker()
        run = await press.report.start(150, pause=0.04)
        reader = Reader(run)
        for tokens in (10, 60):
            await reader.has_read(tokens)
            await asyncio.to_thread(redis.kill)
            await asyncio.to_thread(redis.start)
        last = await reader.to_the_end()
        assert isinstance(last, Done), press.said()
        text, _ = await run.result(PATIENCE)
        assert reader.text == await run.text() == text
        await press.stop_worker(worker)
        assert press.marks("begin") == press.marks("end") == 1


async def test_a_redis_that_lost_everything_under_a_stream_has_the_right_text_at_the_end(
    tmp_path: Path,
) -> None:
    ensure_redis()
    with Redis(tmp_path / "forgetful", "--appendonly", "no") as redis:
        async with printing(tmp_path, redis.url) as press:
            await press.start_worker()
            run = await press.report.start(100, pause=0.04)
            reader, waiting = Reader(run), asyncio.create_task(run.result(PATIENCE))
            await reader.has_read(20)
            await asyncio.to_thread(redis.kill)
            await asyncio.to_thread(redis.start)
            last = await reader.to_the_end()
            assert isinstance(last, Done), press.said()
            text, _ = await waiting
            assert reader.text == await run.text() == text


async def test_a_frozen_redis_holds_up_no_job(tmp_path: Path, redis: Redis) -> None:
    async with printing(tmp_path, redis.url) as press:
        worker = await press.start_worker()
        words, pause = 120, 0.05
        run = await press.report.start(words, pause)
        reader = Reader(run)
        await reader.has_read(5)
        redis.freeze()
        frozen = time.monotonic()
        await press.wrote("end")
        assert time.monotonic() - frozen < FREEZE, "it did not wait for the thaw"
        await asyncio.sleep(max(0.0, frozen + FREEZE - time.monotonic()))
        redis.thaw()
        last = await reader.to_the_end()
        assert isinstance(last, Done), press.said()
        text, seconds = await run.result(PATIENCE)
        assert seconds < words * pause + DELAY
        assert reader.text == await run.text() == text
        await press.stop_worker(worker)
