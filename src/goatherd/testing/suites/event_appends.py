"""Cases: each event is written once, in order, by the attempt that is on, and nothing comes after the end."""

import asyncio

import pytest

from goatherd.model.event import Event, FailedReason, Snapshot
from goatherd.model.ids import new_id
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
    numbers,
    queued,
    retrying,
    whole,
)


class AppendCases(EventsCases):
    """Part of `EventsSuite`."""

    async def test_a_job_is_written_down_from_its_start_to_its_end(
        self, client: Events, other: Events, job: str
    ) -> None:
        author = Author(client, job)
        events: list[Event] = [author.started(), author.progress("fetch", 10, url="x"), author.token("山羊 🐐\n")]
        assert (await by_platform(client, job, queued())).answer == "ok"
        assert (await author.write(*events)).answer == "ok"
        outcome = await author.write(done())
        assert (outcome.answer, outcome.position.seq) == ("ok", 5)
        entries = await all_entries(other, job)
        assert numbers(entries) == [1, 2, 3, 4, 5]
        assert kinds(entries) == ["queued", "started", "progress", "token", "done"]
        assert [entry.event() for entry in entries] == [queued(), *events, done()]
        assert {entry.position.epoch for entry in entries} == {outcome.position.epoch}

    async def test_what_is_sent_again_is_written_once(self, client: Events, other: Events, job: str) -> None:
        author = Author(client, job)
        await author.start()
        await author.say("one ", "two ")
        for _ in range(3):
            outcome = await author.send(2, author.token("one "), author.token("two "))
            assert (outcome.answer, outcome.position.seq) == ("duplicate", 3)
        assert (await whole(other, job)).text == "one two "

    async def test_what_is_half_known_is_completed(self, client: Events, job: str) -> None:
        author = Author(client, job)
        await author.start()
        await author.say("one ", "two ")
        again = [author.token(text) for text in ("two ", "three ", "four ")]
        outcome = await author.send(3, *again)
        assert (outcome.answer, outcome.position.seq) == ("ok", 5)
        assert (await whole(client, job)).text == "one two three four "
        assert numbers(await all_entries(client, job)) == [1, 2, 3, 4, 5]

    async def test_a_gap_is_refused_and_told(self, client: Events, job: str) -> None:
        author = Author(client, job)
        await author.start()
        outcome = await author.send(4, author.token("too far"))
        assert (outcome.answer, outcome.expected, outcome.position.seq) == ("gap", 2, 1)
        assert (await whole(client, job)).text == ""
        for number, text in ((2, "a"), (3, "b"), (4, "c")):
            assert (await author.send(number, author.token(text))).answer == "ok"
        assert (await whole(client, job)).text == "abc"

    async def test_the_first_word_of_an_attempt_cannot_be_missing(self, client: Events, job: str) -> None:
        first, second = Author(client, job), Author(client, job, attempt=2)
        for author in (first, second):
            outcome = await author.send(2, author.token("headless"))
            assert (outcome.answer, outcome.expected) == ("gap", 1)
            await author.start()
        assert (await second.say("whole")).answer == "ok"

    async def test_a_dead_attempt_is_fenced_off(self, client: Events, other: Events, job: str) -> None:
        zombie, successor = Author(client, job), Author(other, job, attempt=2)
        await zombie.start()
        await zombie.say("old ")
        await successor.start()
        await successor.say("new ")
        for outcome in (await zombie.say("undead "), await zombie.write(done(attempt=1))):
            assert (outcome.answer, outcome.attempt) == ("fenced", 2)
        await successor.say("text")
        reading = await whole(client, job)
        assert (reading.text, reading.state.attempt, reading.state.closed) == ("new text", 2, False)

    async def test_of_two_runs_of_one_attempt_the_later_is_right(self, client: Events, other: Events, job: str) -> None:
        first, second = sorted([new_id(), new_id()])
        earlier, later = Author(client, job, run=first), Author(other, job, run=second)
        await earlier.start()
        await earlier.say("earlier")
        assert (await later.start()).answer == "ok"
        await later.say("later")
        assert (await earlier.say("!")).answer == "fenced"
        assert (await whole(client, job)).text == "later"

    async def test_the_start_of_an_earlier_run_may_come_too_late(self, client: Events, other: Events, job: str) -> None:
        first, second = sorted([new_id(), new_id()])
        earlier, later = Author(client, job, run=first), Author(other, job, run=second)
        await later.start()
        assert (await earlier.start()).answer == "fenced"
        assert (await later.say("goes on")).answer == "ok"

    async def test_a_new_attempt_voids_the_text_and_the_stage(self, client: Events, job: str) -> None:
        first = Author(client, job)
        await first.start()
        await first.write(first.progress("write", 50), first.token("half of "))
        await first.write(retrying())
        await Author(client, job, attempt=2).start()
        reading = await whole(client, job)
        assert reading.text == ""
        assert (reading.state.status, reading.state.stage, reading.state.progress) == ("running", "", None)
        assert reading.state.error == ""

    async def test_nothing_comes_after_the_end(self, client: Events, other: Events, job: str) -> None:
        author = Author(client, job)
        await author.start()
        await author.write(done())
        last = (await whole(client, job)).top
        late = Author(other, job, attempt=2)
        for outcome in (
            await author.say("late"),
            await late.start(),
            await by_platform(other, job, failed()),
            await by_platform(other, job, retrying()),
        ):
            assert (outcome.answer, outcome.position) == ("closed", last)
        assert (await author.send(2, done())).answer == "duplicate"
        assert (await whole(other, job)).state.status == "done"

    async def test_only_one_of_many_ends_is_written(self, open_events: OpenEvents, client: Events, job: str) -> None:
        await by_platform(client, job, queued())
        clients = [await open_events() for _ in range(4)]
        reasons: tuple[FailedReason, ...] = ("lost", "expired", "cancelled", "failed")
        ends = [failed(reason=reason) for reason in reasons]
        outcomes = await asyncio.gather(*(by_platform(each, job, end) for each, end in zip(clients, ends, strict=True)))
        assert sorted(outcome.answer for outcome in outcomes) == ["closed", "closed", "closed", "ok"]
        assert kinds(await all_entries(client, job)) == ["queued", "failed"]

    async def test_the_platform_says_each_thing_once(self, client: Events, other: Events, job: str) -> None:
        assert (await by_platform(client, job, queued())).answer == "ok"
        assert (await by_platform(other, job, queued())).answer == "duplicate"
        await Author(client, job).start()
        assert (await by_platform(client, job, retrying(1))).answer == "ok"
        assert (await by_platform(other, job, retrying(1))).answer == "duplicate"
        await Author(client, job, attempt=2).start()
        outcome = await by_platform(other, job, retrying(1))
        assert (outcome.answer, outcome.attempt) == ("fenced", 2)
        assert (await by_platform(other, job, failed(attempt=1))).answer == "fenced"
        assert (await by_platform(other, job, failed(attempt=2))).answer == "ok"
        assert (await by_platform(client, job, queued())).answer == "duplicate"

    async def test_the_platforms_word_about_the_whole_job_is_never_fenced_off(self, client: Events, job: str) -> None:
        await Author(client, job, attempt=3).start()
        assert (await by_platform(client, job, failed(reason="cancelled"))).answer == "ok"
        state = await client.state(job)
        assert state is not None
        assert (state.status, state.attempt, state.closed) == ("cancelled", 3, True)

    async def test_an_attempt_that_was_never_heard_of_can_be_over(self, client: Events, job: str) -> None:
        await by_platform(client, job, queued())
        await by_platform(client, job, retrying(attempt=2))
        assert (await Author(client, job, attempt=1).start()).answer == "fenced"
        assert (await Author(client, job, attempt=3).start()).answer == "ok"

    async def test_writers_at_the_same_time_leave_no_hole(
        self, open_events: OpenEvents, client: Events, job: str
    ) -> None:
        writers, each = 5, 30
        await by_platform(client, job, queued())
        clients = [await open_events() for _ in range(writers)]
        # All but the last are fenced off somewhere on their way, and the platform speaks in between.
        authors = [Author(events, job, attempt=attempt) for attempt, events in enumerate(clients, 1)]

        async def write(author: Author) -> list[int]:
            outcomes = [await author.start()]
            outcomes += [await author.say(f"{author.attempt}.{count} ") for count in range(each)]
            outcomes.append(await by_platform(client, job, retrying(author.attempt)))
            return [outcome.position.seq for outcome in outcomes if outcome.answer == "ok"]

        written = await asyncio.gather(*(write(author) for author in authors))
        entries = await all_entries(client, job)
        assert numbers(entries) == list(range(1, len(entries) + 1))
        assert sorted(seq for seqs in written for seq in seqs) == numbers(entries)[1:], "each position was given once"
        wanted = "".join(f"{writers}.{count} " for count in range(each))
        assert (await whole(client, job)).text == wanted

    async def test_what_cannot_be_sent_again_is_told_by_a_snapshot(self, client: Events, job: str) -> None:
        author = Author(client, job)
        await author.start()
        before = (await author.say("one ")).position
        # The numbers 3 to 8 are lost for good.
        whole_text = Snapshot(attempt=1, at=NOW, stage="write", percent=70, text="one two three ")
        outcome = await author.send(9, whole_text, author.token("four"))
        assert outcome.answer == "ok"
        assert outcome.position.epoch != before.epoch
        reading = await whole(client, job)
        assert (reading.text, reading.state.stage, reading.state.progress) == ("one two three four", "write", 70)
        assert (await author.send(9, whole_text, author.token("four"))).answer == "duplicate"
        assert (await author.send(11, author.token("."))).answer == "ok"
        assert (await author.send(13, author.token("?"))).expected == 12
        behind = await client.read(job, before)
        assert behind is not None
        assert (behind.resumed, behind.text) == (False, "one two three four.")

    @pytest.mark.parametrize("text", ["", "\x00", "\n\r\n", "ünïcödé 🐐", "x" * 100_000])
    async def test_any_text_comes_through(self, client: Events, other: Events, job: str, text: str) -> None:
        author = Author(client, job)
        await author.start()
        await author.say("[", text)
        await author.say("]")
        assert (await whole(other, job)).text == f"[{text}]"
        assert [entry.event() for entry in (await all_entries(other, job))[2:3]] == [author.token(text)]
