"""Cases: a reader resumes where it was, or gets the state and the text as of one moment."""

import asyncio

import pytest

from goatherd.model.admission import Append
from goatherd.model.event import BEGINNING, Entry, FailedReason, Position
from goatherd.model.job_state import Status
from goatherd.ports.events import Events
from goatherd.testing.suites.event_store import (
    Author,
    EventsCases,
    all_entries,
    by_platform,
    done,
    failed,
    numbers,
    queued,
    retrying,
    whole,
)


class ReadingCases(EventsCases):
    """Part of `EventsSuite`."""

    async def test_a_job_that_nobody_knows_is_none(self, client: Events, job: str) -> None:
        assert await client.state(job) is None
        assert await client.read(job, None) is None
        assert await client.read(job, BEGINNING) is None
        assert await client.read(job, Position("abc", 7)) is None
        await client.keep(job, 60)
        await client.forget(job)
        assert await client.state(job) is None

    async def test_a_job_is_known_by_any_id(self, client: Events, other: Events) -> None:
        ids = ["plain", "with space", "ünï:{x}\n*", "x" * 300]
        for job in ids:
            await by_platform(client, job, queued())
            await Author(client, job).start()
        for job in ids:
            assert numbers(await all_entries(other, job)) == [1, 2]

    async def test_the_state_follows_the_events(self, client: Events, other: Events, job: str) -> None:
        async def told() -> tuple[Status, int, str, float | None, str]:
            state = await other.state(job)
            assert state is not None
            return state.status, state.attempt, state.stage, state.progress, state.error

        await by_platform(client, job, queued())
        assert await told() == ("queued", 0, "", None, "")
        author = Author(client, job)
        await author.start()
        assert await told() == ("running", 1, "", None, "")
        await author.write(author.progress("fetch", 12.5), author.token("x"))
        assert await told() == ("running", 1, "fetch", 12.5, "")
        await author.write(author.progress("write"))
        assert await told() == ("running", 1, "write", None, "")
        await author.write(retrying(1, "OSError: gone"))
        assert await told() == ("retrying", 1, "write", None, "OSError: gone")
        second = Author(client, job, attempt=2)
        await second.start()
        await second.write(second.progress("fetch", 100), done(2))
        assert await told() == ("done", 2, "fetch", 100.0, "")
        state = await other.state(job)
        assert state is not None
        assert (state.result, state.closed, state.position) == (b'{"answer":42}', True, (await whole(other, job)).top)

    @pytest.mark.parametrize(
        ("reason", "status"),
        [("failed", "failed"), ("cancelled", "cancelled"), ("expired", "expired"), ("lost", "failed")],
    )
    async def test_every_bad_end_has_its_status(
        self, client: Events, job: str, reason: FailedReason, status: Status
    ) -> None:
        # Also when it is the only word about a job.
        await by_platform(client, job, failed(reason=reason))
        state = await client.state(job)
        assert state is not None
        assert (state.status, state.closed, state.result) == (status, True, None)
        assert (state.error, state.message, state.traceback) == ("ValueError", "no luck 🐐", "line 1")

    @pytest.mark.parametrize("result", [b"null", b'""', b"[1.5,true]", b'{"a":"\xc3\xa4"}'])
    async def test_a_result_comes_back_byte_for_byte(self, client: Events, job: str, result: bytes) -> None:
        author = Author(client, job)
        await author.start()
        await author.write(done(1, result))
        state = await client.state(job)
        assert state is not None
        assert state.result == result

    async def test_reading_resumes_after_any_position(self, client: Events, other: Events, job: str) -> None:
        author = Author(client, job)
        await author.start()
        for text in "abcdef":
            await author.say(text)
        entries = await all_entries(other, job)
        for place, entry in enumerate(entries, 1):
            assert await all_entries(other, job, entry.position) == entries[place:]

    async def test_a_long_log_is_read_in_pages(self, client: Events, job: str) -> None:
        author = Author(client, job)
        await author.start()
        await author.say(*"0123456789")
        position, pages = BEGINNING, 0
        read: list[Entry] = []
        while True:
            reading = await client.read(job, position, limit=4)
            assert reading is not None
            assert reading.resumed
            assert reading.text is None
            read += reading.entries
            pages += 1
            if reading.complete:
                break
            position = read[-1].position
        assert (numbers(read), pages) == (list(range(1, 12)), 3)

    async def test_a_position_that_cannot_be_resumed_gets_the_text(self, client: Events, job: str) -> None:
        author = Author(client, job)
        await author.start()
        top = (await author.say("so far")).position
        for position in (Position("abcdef", 1), Position(top.epoch, top.seq + 1)):
            reading = await client.read(job, position)
            assert reading is not None
            assert (reading.resumed, list(reading.entries)) == (False, [])
            assert (reading.text, reading.top) == ("so far", top)

    async def test_nothing_new_is_resumed_with_nothing(self, client: Events, job: str) -> None:
        top = (await Author(client, job).start()).position
        reading = await client.read(job, top)
        assert reading is not None
        assert (reading.resumed, reading.complete, list(reading.entries), reading.top) == (True, True, [], top)

    async def test_text_state_and_position_are_of_one_moment(self, client: Events, other: Events, job: str) -> None:
        author = Author(client, job)
        await author.start()
        steps = 120

        async def write() -> None:
            for count in range(steps):
                await author.write(author.token("x"), author.progress("count", float(count)))

        writing = asyncio.ensure_future(write())
        looks = 0
        while not writing.done() or not looks:
            reading = await whole(other, job)
            assert reading.text is not None
            assert reading.top.seq == 1 + 2 * len(reading.text)
            assert reading.state.progress == (float(len(reading.text) - 1) if reading.text else None)
            looks += 1
        await writing
        assert len((await whole(other, job)).text or "") == steps

    async def test_an_append_is_seen_whole_or_not_at_all(self, client: Events, other: Events, job: str) -> None:
        author = Author(client, job)
        await author.start()

        async def write() -> None:
            for _ in range(60):
                await author.say("a", "b", "c")

        writing = asyncio.ensure_future(write())
        position = BEGINNING
        while not writing.done():
            for entry in (entries := await all_entries(other, job, position)):
                assert entry.position.seq == position.seq + 1
                position = entry.position
            assert not entries or position.seq % 3 == 1
        await writing

    async def test_entries_cannot_be_mixed_up_between_jobs(self, client: Events, job: str) -> None:
        jobs = [f"{job}.{number}" for number in range(20)]

        async def work(name: str) -> None:
            author = Author(client, name)
            await author.start()
            for count in range(5):
                await author.say(f"{name} {count}\n")
            await author.write(done())

        await asyncio.gather(*(work(name) for name in jobs))
        for name in jobs:
            assert (await whole(client, name)).text == "".join(f"{name} {count}\n" for count in range(5))
            assert numbers(await all_entries(client, name)) == list(range(1, 8))

    async def test_only_the_newest_ten_thousand_events_are_kept(self, client: Events, job: str) -> None:
        author = Author(client, job)
        await author.start()
        old = (await author.say("old ")).position
        for _ in range(22):
            await author.say(*("x" for _ in range(500)))
        reading = await client.read(job, old)
        assert reading is not None
        assert (reading.resumed, reading.text) == (False, "old " + "x" * 11_000)
        recent = Position(old.epoch, reading.top.seq - 5000)
        following = await client.read(job, recent, limit=10_000)
        assert following is not None
        assert numbers(following.entries) == list(range(recent.seq + 1, recent.seq + 5001))

    async def test_a_whole_append_is_checked_before_anything_is_written(self, client: Events, job: str) -> None:
        author = Author(client, job)
        with pytest.raises(ValueError, match="nothing comes after the end"):
            await client.append(job, Append(events=[author.started(), done(), author.token("x")], run="r", number=1))
        assert await client.state(job) is None
