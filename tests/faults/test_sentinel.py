"""Sentinel puts the replica in the primary's place, while events are written and watched: no text is wrong."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from goatherd.errors import Unavailable
from goatherd.model.ids import new_id
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.testing.suites.event_store import Author, all_entries, whole
from goatherd.wiring import open_history, open_router
from scripts.servers.redis import ensure_redis
from scripts.servers.sentinel import GuardedRedis
from tests.faults.event_people import Follower, Stubborn, client
from tests.faults.watching import until

pytestmark = [pytest.mark.servers("redis"), pytest.mark.xdist_group("own redis")]


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[GuardedRedis]:
    ensure_redis()
    with GuardedRedis(tmp_path / "redis") as servers:
        yield servers


async def changed(guarded: GuardedRedis, before: int) -> None:
    await until(lambda: guarded.primary_port() != before, "Sentinel to name another server", 60)


async def in_step(guarded: GuardedRedis) -> None:
    await until(guarded.in_step, "the replica to be in step", 60)


@pytest.mark.timeout(180)
async def test_no_text_is_wrong_when_servers_change_places(guarded: GuardedRedis, tmp_path: Path) -> None:
    await until(guarded.can_change, "Sentinel to know both servers", 60)
    settings = Settings(
        broker_url="sqlite:///unused.db", default_queue="faults", events_url=guarded.url, publish_deadline=30,
        records_url=f"sqlite:///{tmp_path / 'records.db'}", history_days=1e6,
    )  # fmt: skip
    router, history = await open_router(settings, SystemClock()), await open_history(settings, SystemClock())
    await router.start()
    async with client(guarded.url, 30) as writing, client(guarded.url, 30) as watching:
        jobs = [new_id() for _ in range(3)]
        writers = [Stubborn(writing, job) for job in jobs]
        followers = [Follower(watching, job) for job in jobs]
        following = [asyncio.ensure_future(follower.follow()) for follower in followers]
        on = True

        async def write(writer: Stubborn) -> None:
            while on:
                await writer.say(f"{len(writer.text)} ")
                await asyncio.sleep(0.001)

        working = [asyncio.ensure_future(write(writer)) for writer in writers]
        await grown(writers)
        first = guarded.primary_port()
        guarded.fail_over()
        await changed(guarded, first)
        await grown(writers)
        await in_step(guarded)
        killed = guarded.primary()
        await asyncio.to_thread(killed.kill)
        await changed(guarded, killed.port)
        await grown(writers)
        await asyncio.to_thread(killed.start)
        await grown(writers)
        on = False
        async with asyncio.timeout(60):
            await asyncio.gather(*working)
            for writer in writers:
                await writer.end()
            await asyncio.gather(*following)
        for job, writer, follower in zip(jobs, writers, followers, strict=True):
            assert follower.text == writer.text
            reading = await whole(watching, job)
            assert reading.text == writer.text

            async def on_record(job: str = job, position: object = reading.top) -> bool:
                record = await history.find(job)
                return record is not None and record.state.closed and record.state.position == position

            await until(on_record, "the history to be complete")
    await router.stop()
    await history.close()


async def grown(writers: list[Stubborn]) -> None:
    """Wait until each has written a little more, to whatever server it is."""
    wanted = [len(writer.text) + 300 for writer in writers]

    def enough() -> bool:
        return all(len(writer.text) >= length for writer, length in zip(writers, wanted, strict=True))

    await until(enough, "the writers to write", 60)


@pytest.mark.timeout(120)
async def test_a_change_of_servers_is_another_epoch(guarded: GuardedRedis) -> None:
    await until(guarded.can_change, "Sentinel to know both servers", 60)
    async with client(guarded.url, 30) as events:
        author = Author(events, job := new_id())
        await author.start()
        before = (await author.say("one ")).position
        await in_step(guarded)
        first = guarded.primary_port()
        guarded.fail_over()
        await changed(guarded, first)
        # Until the former primary knows of its fate, it takes what it will forget.
        await in_step(guarded)
        after = (await author.say("two")).position
        assert after.epoch != before.epoch
        assert after.seq == before.seq + 1
        [entry] = await all_entries(events, job, before)
        assert entry.position == after
        assert (await whole(events, job)).text == "one two"


async def test_sentinels_that_know_no_such_servers_are_told(guarded: GuardedRedis) -> None:
    with pytest.raises(Unavailable, match="No master found for 'sheep'"):
        async with client(guarded.url.replace("goats", "sheep")):
            pass
