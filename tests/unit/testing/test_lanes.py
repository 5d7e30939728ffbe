"""Stories: jobs of one key are done in order, and the clock moves lanes too."""

import asyncio
import threading
from datetime import timedelta

import pytest

from goatherd import Goatherd
from goatherd.errors import JobFailed, Refused
from goatherd.testing import testing
from tests.unit.testing.forum import about, create_comment, forum, greet, like, publish, written

NUMBERS = [str(number) for number in range(10)]


async def test_jobs_of_a_lane_are_done_in_the_order_in_which_they_were_sent() -> None:
    async with testing(forum) as t:
        for number in NUMBERS:
            await forum.send_many(create_comment.job(post, number) for post in (1, 2, 3))
        assert {job.state for job in t.jobs(create_comment)} == {"queued"}
        await t.drain()
        assert [about(post) for post in (1, 2, 3)] == [NUMBERS, NUMBERS, NUMBERS]
        assert {(job.state, job.attempts) for job in t.jobs(create_comment)} == {("done", 1)}
        assert t.jobs(create_comment)[0].result == "1: 0"


async def test_jobs_without_a_key_are_done_beside_them() -> None:
    async with testing(forum) as t:
        await forum.send_many([create_comment.job(1, "a"), greet.job("ada"), like.job(1), greet.job("bob")])
        await t.drain()
        assert sorted(written) == ["1: a", "1: like", "hello ada", "hello bob"]


async def test_jobs_that_jobs_put_into_lanes_are_done_too() -> None:
    app = Goatherd("relay")
    legs: list[int] = []

    @app.task(key="team")
    async def run(team: str, leg: int) -> None:
        legs.append(leg)
        if leg < 5:
            await run.send(team, leg + 1)

    async with testing(app) as t:
        await run.send("red", 1)
        await t.drain()
        assert legs == [1, 2, 3, 4, 5]
        assert [job.arguments["leg"] for job in t.jobs(run)] == legs


async def test_a_retry_holds_its_lane_and_no_other() -> None:
    async with testing(forum) as t:
        started = t.now
        await forum.send_many([create_comment.job(1, "flaky"), create_comment.job(1, "b"), create_comment.job(2, "c")])
        await t.drain()
        assert written == ["1: flaky", "2: c"]
        [flaky, behind, _] = t.jobs(create_comment)
        assert (flaky.state, flaky.attempts, flaky.error) == ("retrying", 1, "ConnectionError: no route")
        assert flaky.due_at == started + timedelta(seconds=10)
        assert behind.state == "queued"
        await t.advance(9)
        assert len(written) == 2
        await t.advance(1)
        assert about(1) == ["flaky", "flaky"]
        await t.advance(30)
        assert about(1) == ["flaky", "flaky", "flaky", "b"]
        assert t.now == started + timedelta(seconds=40)


async def test_one_advance_works_off_lanes_and_queues_in_the_order_of_time() -> None:
    async with testing(forum) as t:
        await create_comment.options(delay=20).send(1, "at 20")
        await greet.options(delay=30).send("at 30")
        await create_comment.options(delay=40).send(2, "at 40")
        await greet.options(delay=10).send("at 10")
        await t.advance(100)
        assert written == ["hello at 10", "1: at 20", "hello at 30", "2: at 40"]


async def test_a_delayed_job_joins_its_lane_when_it_is_due() -> None:
    async with testing(forum) as t:
        await create_comment.options(delay=60).send(1, "later")
        await create_comment.send(1, "now")
        await t.drain()
        assert about(1) == ["now"]
        assert t.jobs(create_comment)[0].state == "queued"
        await t.advance(59.5)
        assert about(1) == ["now"]
        await t.advance(0.5)
        assert about(1) == ["now", "later"]


async def test_a_delayed_job_that_keeps_its_place_is_waited_for() -> None:
    async with testing(forum) as t:
        await create_comment.options(delay=60, keep_place=True).send(1, "first")
        await create_comment.send(1, "second")
        await create_comment.send(2, "other")
        await t.advance(59)
        assert written == ["2: other"]
        await t.advance(1)
        assert about(1) == ["first", "second"]


async def test_more_delays_than_are_seen_to_at_once_are_all_worked_off() -> None:
    async with testing(forum) as t:
        await forum.send_many(create_comment.options(delay=5).job(number % 7, str(number)) for number in range(250))
        await t.advance(5)
        assert [about(post) for post in range(7)] == [[str(n) for n in range(post, 250, 7)] for post in range(7)]


async def test_a_held_lane_waits_and_does_not_hang_the_drain() -> None:
    async with testing(forum) as t:
        await forum.send_many([create_comment.job(1, "spam"), create_comment.job(1, "b"), create_comment.job(2, "c")])
        await t.drain()
        await t.advance(3600)
        [spam, behind, other] = t.jobs(create_comment)
        assert (spam.state, spam.attempts, spam.error) == ("failed", 1, "GiveUp: spam")
        assert (behind.state, other.state) == ("queued", "done")
        assert t.dead == []


async def test_a_lane_that_skips_goes_on_and_its_head_is_a_dead_letter() -> None:
    async with testing(forum) as t:
        await forum.send_many([like.job(1, "spam"), like.job(1, "b"), like.job(1, "c")])
        await t.drain()
        assert about(1) == ["spam", "b", "c"]
        assert [job.state for job in t.jobs(like)] == ["failed", "done", "done"]
        assert [(letter.job_id, letter.reason) for letter in t.dead] == [(t.jobs(like)[0].id, "gave_up")]
        assert "told of like: GiveUp" in written


async def test_a_lane_that_cancels_the_rest_has_them_all_among_the_dead_letters() -> None:
    async with testing(forum) as t:
        await forum.send_many(publish.job(1, step) for step in ("draft", "spam", "mail", "index"))
        await t.drain()
        assert about(1) == ["draft", "spam"]
        jobs = t.jobs(publish)
        assert [(job.state, job.attempts) for job in jobs] == [("done", 1), ("failed", 1), ("failed", 0), ("failed", 0)]
        assert [letter.job_id for letter in t.dead] == [job.id for job in jobs[1:]]
        assert [letter.reason for letter in t.dead] == ["gave_up", "rejected", "rejected"]
        assert jobs[2].error == f"LaneCancelled: the job ahead of it in its lane, {jobs[1].id}, was given up: spam"
        await publish.send(1, "anew")
        await t.drain()
        assert about(1)[-1] == "anew"


async def test_a_lane_that_is_full_refuses_more_and_the_records_know() -> None:
    async with testing(forum) as t:
        for _ in range(3):
            await like.send(1)
        with pytest.raises(Refused, match="post_id=1") as refused:
            await forum.send_many([like.job(2), like.job(1), like.job(1)])
        assert len(refused.value.jobs) == 2
        assert [job.arguments["post_id"] for job in t.jobs(like)] == [1, 1, 1, 2]
        await t.drain()
        await like.send(1)
        await t.drain()
        assert {job.state for job in t.jobs(like)} == {"done"}


async def test_a_job_that_was_sent_before_by_its_id_is_sent_once() -> None:
    async with testing(forum) as t:
        for text in ("once", "twice"):
            await create_comment.options(id="c1").send(1, text)
        await t.drain()
        await create_comment.options(id="c1").send(1, "thrice")
        await t.drain()
        [job] = t.jobs(create_comment)
        assert (job.state, job.arguments["text"]) == ("done", "once")
        assert about(1) == ["once"]
        await t.advance(3600)
        await create_comment.options(id="c1").send(1, "anew")
        await t.drain()
        assert about(1) == ["once", "anew"]
        assert [job.arguments["text"] for job in t.jobs(create_comment)] == ["anew"]


async def test_a_call_takes_its_turn_and_is_answered() -> None:
    async with testing(forum) as t:
        await create_comment.send(1, "first")
        assert await create_comment.call(1, "second") == "1: SECOND"
        assert about(1) == ["first", "second"]
        [_, job] = t.jobs(create_comment)
        assert (job.state, job.result) == ("done", "1: SECOND")


async def test_calls_of_several_lanes_are_answered_side_by_side() -> None:
    async with testing(forum):
        asked = [create_comment.call(number % 3, str(number)) for number in range(9)]
        assert await asyncio.gather(*asked) == [f"{number % 3}: {number}" for number in range(9)]


async def test_a_call_that_fails_is_told_and_does_not_hold_the_lane() -> None:
    async with testing(forum) as t:
        with pytest.raises(JobFailed, match="spam"):
            await create_comment.call(1, "spam")
        await create_comment.send(1, "next")
        await t.drain()
        assert about(1) == ["spam", "next"]
        assert [job.state for job in t.jobs(create_comment)] == ["failed", "done"]
        assert t.dead == []


async def test_a_call_behind_a_held_lane_is_answered_by_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goatherd.testing.callers.PATIENCE", 0.1)
    async with testing(forum):
        await create_comment.send(1, "spam")
        with pytest.raises(AssertionError, match="Nobody answers"):
            await create_comment.call(1, "second")


async def test_a_call_into_a_full_lane_is_refused() -> None:
    async with testing(forum) as t:
        for text in ("spam and hold", "b", "c"):
            await like.options(delay=60, keep_place=True).send(1, text)
        with pytest.raises(Refused):
            await like.call(1)
        assert len(t.jobs(like)) == 3


async def test_a_started_job_takes_its_turn_and_is_watched() -> None:
    async with testing(forum) as t:
        await create_comment.send(1, "first")
        run = await create_comment.start(1, "flaky")
        await t.advance(40)
        assert await run.result() == "1: FLAKY"
        assert about(1) == ["first", "flaky", "flaky", "flaky"]


async def test_a_lane_that_does_not_come_to_rest_is_named() -> None:
    app = Goatherd("mill", concurrency=1)

    @app.task(key="wheel")
    async def turn(wheel: int) -> None:
        await asyncio.Event().wait()

    async with testing(app) as t:
        job_id = await turn.send(1)
        await app.send_many([turn.job(1), turn.job(2)])
        with pytest.raises(AssertionError) as raised:
            await t.drain(timeout=0.3)
        told = str(raised.value)
        assert f"turn[{job_id}] is running (attempt 1)" in told
        assert "lane wheel=1 is running (2 jobs in it); lane wheel=2 is ready (1 job in it)" in told
        assert [job.state for job in t.jobs(turn)] == ["retrying", "queued", "queued"]


async def test_nothing_is_left_of_a_test_with_lanes() -> None:
    threads = set(threading.enumerate())
    tasks = asyncio.all_tasks()
    async with testing(forum) as t:
        t.crash(create_comment)
        await create_comment.options(delay=1).send(1, "a")
        await t.advance(1)
        await create_comment.options(delay=1).send(1, "b")
        await create_comment.call(1, "c")
    left = {thread for thread in threading.enumerate() if not thread.name.startswith("asyncio_")}
    assert left <= threads
    assert asyncio.all_tasks() == tasks
