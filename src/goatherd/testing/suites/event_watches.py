"""Cases: whoever waits for a job is called, wherever the events are written, and finds what no call told."""

import asyncio
from typing import Any

from goatherd.model.event import BEGINNING
from goatherd.ports.events import Events
from goatherd.testing.suites.event_store import (
    Author,
    Called,
    EventsCases,
    OpenEvents,
    by_platform,
    done,
    numbers,
    queued,
)
from goatherd.testing.suites.receiver import PATIENCE


class WatchCases(EventsCases):
    """Part of `EventsSuite`."""

    async def test_a_watcher_is_called_by_what_another_client_writes(
        self, client: Events, other: Events, job: str
    ) -> None:
        called = Called()
        await other.watch(job, called)
        await by_platform(client, job, queued())
        await called.next()

    async def test_a_watcher_is_called_by_what_its_own_client_writes(self, client: Events, job: str) -> None:
        called = Called()
        await client.watch(job, called)
        await Author(client, job).start()
        await called.next()

    async def test_a_watch_is_on_when_it_returns(self, client: Events, other: Events, job: str) -> None:
        author = Author(client, job)
        await author.start()
        for _ in range(20):
            called = Called()
            watch = await other.watch(job, called)
            await author.say("x")
            await called.next()
            await watch.stop()

    async def test_what_is_told_is_what_is_kept(self, client: Events, other: Events, job: str) -> None:
        called = Called()
        await other.watch(job, called)
        author = Author(client, job)
        await author.start()
        await author.say("a\n", "b 🐐")
        await author.write(done())
        reading = await other.read(job, BEGINNING)
        assert reading is not None
        await called.next()
        told = {entry.position: entry for entry in called.entries}
        assert all(told[entry.position] == entry for entry in reading.entries if entry.position in told)

    async def test_a_watcher_of_another_job_is_left_alone(self, client: Events, other: Events, job: str) -> None:
        called = Called()
        await other.watch(f"{job}.other", called)
        await Author(client, job).start()
        await called.is_left_alone()

    async def test_what_is_refused_calls_nobody(self, client: Events, other: Events, job: str) -> None:
        author = Author(client, job, attempt=2)
        await author.start()
        await author.write(done(2))
        called = Called()
        await other.watch(job, called)
        await author.send(1, author.started())
        await author.say("late")
        await Author(client, job).start()
        await called.is_left_alone()

    async def test_a_stopped_watch_is_not_called_and_the_others_are(
        self, client: Events, other: Events, job: str
    ) -> None:
        stopped, on = Called(), Called()
        watch = await other.watch(job, stopped)
        await other.watch(job, on)
        await watch.stop()
        await watch.stop()
        await Author(client, job).start()
        await on.next()
        await stopped.is_left_alone()

    async def test_a_job_is_watched_again_at_once(self, client: Events, other: Events, job: str) -> None:
        author = Author(client, job)
        await author.start()
        watch = await other.watch(job, Called())
        for _ in range(10):
            called = Called()
            stopping, starting = asyncio.ensure_future(watch.stop()), asyncio.ensure_future(other.watch(job, called))
            await stopping
            watch = await starting
            await author.say("x")
            await called.next()

    async def test_many_jobs_are_watched_at_once(self, client: Events, other: Events, job: str) -> None:
        watchers = {f"{job}.{number}": Called() for number in range(60)}
        await asyncio.gather(*(other.watch(name, called) for name, called in watchers.items()))
        await asyncio.gather(*(Author(client, name).start() for name in watchers))
        for called in watchers.values():
            await called.next()

    async def test_lost_calls_are_made_good(self, store: Any, client: Events, other: Events, job: str) -> None:
        called = Called()
        await other.watch(job, called)
        author = Author(client, job)
        await author.start()
        await called.next()
        await self.cut_off(store)
        await author.say("into the void")
        # Called for it, or called in general: in any case the log tells.
        await called.next()
        await author.say("and on")
        await self._reads_up_to(other, job, called, 3)

    async def test_a_watcher_that_reads_when_called_misses_nothing(
        self, client: Events, other: Events, job: str
    ) -> None:
        author, called = Author(client, job), Called()
        await other.watch(job, called)

        async def write() -> None:
            await author.start()
            for count in range(100):
                await author.say(f"{count} ")
            await author.write(done())

        writing = asyncio.ensure_future(write())
        await self._reads_up_to(other, job, called, 102)
        await writing

    async def test_closing_stops_every_watch(self, open_events: OpenEvents, client: Events, job: str) -> None:
        watching, called = await open_events(), Called()
        watch = await watching.watch(job, called)
        await watching.close()
        await Author(client, job).start()
        await called.is_left_alone()
        await watch.stop()

    async def _reads_up_to(self, events: Events, job: str, called: Called, last: int) -> None:
        """Follow a job as a watcher does, from the log alone, until an event is there."""
        position = BEGINNING
        async with asyncio.timeout(PATIENCE):
            while True:
                reading = await events.read(job, position)
                if reading is not None:
                    assert reading.resumed
                    assert numbers(reading.entries) == list(range(position.seq + 1, reading.top.seq + 1))
                    position = reading.top
                if position.seq >= last:
                    return
                await called.next()
