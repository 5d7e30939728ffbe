"""Cases: nothing is kept for ever, nothing that was lost is taken for something else, and clients leave nothing."""

import asyncio
from typing import Any

from goatherd.model.event import BEGINNING, Event, Position, Snapshot
from goatherd.ports.events import Events
from goatherd.testing.suites.event_store import (
    NOW,
    Author,
    EventsCases,
    OpenEvents,
    all_entries,
    by_platform,
    done,
    failed,
    kinds,
    queued,
    whole,
)
from goatherd.testing.suites.receiver import eventually

#: Seconds that a job is kept in the cases about it; a client waits for a third of it at a time.
TTL = 1.5


class LifetimeCases(EventsCases):
    """Part of `EventsSuite`."""

    async def test_a_job_is_kept_as_long_as_it_is_written_to(self, store: Any, job: str) -> None:
        client = await self.open(store, ttl=TTL)
        author = Author(client, job)
        await author.start()
        for _ in range(6):
            await asyncio.sleep(TTL / 3)
            assert (await author.say("x")).answer == "ok"
        reading = await whole(client, job)
        assert (reading.text, reading.top.seq) == ("x" * 6, 7)
        assert len(await all_entries(client, job)) == 7
        await self._is_forgotten(client, job)
        assert await client.read(job, BEGINNING) is None
        await client.close()

    async def test_a_job_that_ended_is_forgotten_too(self, store: Any, job: str) -> None:
        client = await self.open(store, ttl=1)
        await by_platform(client, job, queued())
        await by_platform(client, job, failed())
        await self._is_forgotten(client, job)
        await client.close()

    async def test_a_job_can_be_kept_for_longer(self, store: Any, job: str) -> None:
        client = await self.open(store, ttl=1)
        author = Author(client, job)
        await author.start()
        await author.say("still here")
        await client.keep(job, 60)
        await client.keep(job, 0.1)
        await asyncio.sleep(1.2)
        assert (await whole(client, job)).text == "still here"
        await author.write(done())
        await self._is_forgotten(client, job)
        await client.close()

    async def test_a_forgotten_job_is_gone_and_begins_anew(self, client: Events, other: Events, job: str) -> None:
        author = Author(client, job)
        await author.start()
        before = (await author.say("a", "b", "c")).position
        await other.forget(job)
        assert await client.state(job) is None
        after = (await by_platform(client, job, queued())).position
        assert after.epoch != before.epoch
        assert kinds(await all_entries(client, job)) == ["queued"]
        assert (await whole(client, job)).text == ""

    async def test_a_writer_learns_that_the_store_lost_everything(
        self, store: Any, client: Events, other: Events, job: str
    ) -> None:
        author = Author(client, job)
        await author.start()
        before = (await author.say("one ", "two ")).position
        await self.wipe(store)
        outcome = await author.send(author.number, author.token("three"))
        assert (outcome.answer, outcome.expected) == ("gap", 1)
        text = Snapshot(attempt=1, at=NOW, stage="write", text="one two ")
        again = await author.send(author.number, text, author.token("three"))
        assert again.answer == "ok"
        assert again.position.epoch != before.epoch
        assert (await whole(other, job)).text == "one two three"
        await self._is_not_resumed(other, job, before)

    async def test_a_writer_can_send_everything_again(self, store: Any, client: Events, job: str) -> None:
        author = Author(client, job)
        events: list[Event] = [author.started(), author.token("one "), author.token("two ")]
        before = (await author.write(*events)).position
        await self.wipe(store)
        assert (await author.send(4, author.token("three"))).answer == "gap"
        after = await author.send(1, *events, author.token("three"))
        assert (after.answer, after.position.seq) == ("ok", 4)
        assert after.position.epoch != before.epoch
        assert (await whole(client, job)).text == "one two three"
        await self._is_not_resumed(client, job, before)

    async def test_no_position_is_used_twice(self, store: Any, client: Events, other: Events, job: str) -> None:
        told: dict[Position, bytes] = {}
        for life in range(4):
            author = Author(client, job, attempt=life + 1)
            await author.start()
            for count in range(5):
                await author.say(f"{life}.{count}")
            for entry in await all_entries(other, job):
                assert told.setdefault(entry.position, entry.body) == entry.body
            await self.wipe(store)
        assert len({position.epoch for position in told}) == 4

    async def test_a_zombie_cannot_take_over_what_was_lost(self, store: Any, client: Events, job: str) -> None:
        zombie, successor = Author(client, job), Author(client, job, attempt=2)
        await zombie.start()
        await successor.start()
        await successor.say("new")
        await self.wipe(store)
        # The zombie comes first, but the successor has the later word.
        await zombie.send(2, Snapshot(attempt=1, at=NOW, stage="", text="old"))
        assert (await successor.send(3, successor.token("!"))).answer == "gap"
        await successor.send(3, Snapshot(attempt=2, at=NOW, stage="", text="new!"))
        assert (await zombie.send(3, zombie.token("?"))).answer == "fenced"
        assert (await whole(client, job)).text == "new!"

    async def test_the_end_is_written_whatever_was_lost(self, store: Any, client: Events, job: str) -> None:
        await Author(client, job).start()
        await self.wipe(store)
        assert (await by_platform(client, job, failed(attempt=1, reason="lost"))).answer == "ok"
        state = await client.state(job)
        assert state is not None
        assert (state.status, state.attempt, state.closed) == ("failed", 1, True)

    async def test_closing_twice_is_harmless(self, open_events: OpenEvents, client: Events, job: str) -> None:
        closed = await open_events()
        await closed.watch(job, lambda _: None)
        await closed.close()
        await closed.close()
        assert (await Author(client, job).start()).answer == "ok"

    async def _is_forgotten(self, client: Events, job: str) -> None:
        async def gone() -> bool | None:
            return True if await client.state(job) is None else None

        await eventually(gone, f"{job} to be forgotten")

    async def _is_not_resumed(self, client: Events, job: str, position: Position) -> None:
        for seq in range(1, position.seq + 1):
            reading = await client.read(job, Position(position.epoch, seq))
            assert reading is not None
            assert not reading.resumed
