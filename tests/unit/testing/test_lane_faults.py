"""Stories: workers die, lose their lanes or are heard twice, and the order holds."""

import asyncio
import logging
import threading

import pytest

from goatherd import Context, Goatherd, Retry
from goatherd.errors import Fenced
from goatherd.model.lane import Fence
from goatherd.sync import Context as BlockingContext
from goatherd.testing import testing
from tests.unit.testing.forum import about, create_comment, forum, greet, like, written


async def test_a_lost_worker_does_not_lose_the_job() -> None:
    async with testing(forum) as t:
        t.crash(create_comment, at="end")
        await create_comment.send(7, "first")
        await t.drain()
        [job] = t.jobs(create_comment)
        assert (job.state, job.attempts) == ("done", 2)
        assert not t.dead


@pytest.mark.parametrize("at", ["start", "end"])
async def test_the_job_of_a_dead_worker_is_done_before_those_behind_it(at: str) -> None:
    async with testing(forum) as t:
        t.crash(create_comment, at=at, times=2)  # type: ignore[arg-type]  # one of both
        await forum.send_many(create_comment.job(7, text) for text in ("a", "b", "c"))
        await t.drain()
        assert about(7) == (["a", "b", "c"] if at == "start" else ["a", "a", "a", "b", "c"])
        assert [job.attempts for job in t.jobs(create_comment)] == [3, 1, 1]


async def test_a_job_that_kills_three_workers_holds_its_lane() -> None:
    async with testing(forum) as t:
        t.crash(create_comment, times=3)
        await forum.send_many([create_comment.job(7, "a"), create_comment.job(7, "b")])
        await t.drain()
        [killer, behind] = t.jobs(create_comment)
        assert (killer.state, killer.attempts) == ("failed", 3)
        assert killer.error == "WorkerDied: 3 processes died while they ran it"
        assert behind.state == "queued"


async def test_a_lane_may_skip_a_job_that_kills_three_workers() -> None:
    async with testing(forum) as t:
        t.crash(like, times=3)
        await forum.send_many([like.job(7, "a"), like.job(7, "b")])
        await t.drain()
        assert [letter.reason for letter in t.dead] == ["crashed"]
        assert [job.state for job in t.jobs(like)] == ["failed", "done"]


async def test_what_was_done_before_the_death_is_not_done_again() -> None:
    async with testing(forum) as t:
        t.crash(greet, at="start")
        await forum.send_many(create_comment.job(number % 5, str(number)) for number in range(30))
        await greet.send("ada")
        await t.drain()
        done = {job.id: job.attempts for job in t.jobs(create_comment)}
        # Those that the worker was running when it died are done again, and no others.
        assert len(written) == 31 + sum(attempts - 1 for attempts in done.values())
        for post in range(5):
            assert list(dict.fromkeys(about(post))) == [str(number) for number in range(post, 30, 5)]


async def test_a_head_may_come_twice_and_comes_in_its_place() -> None:
    async with testing(forum) as t:
        t.duplicate(create_comment)
        await forum.send_many(create_comment.job(7, text) for text in ("a", "b"))
        await t.drain()
        assert about(7) == ["a", "a", "b"]
        assert [(job.state, job.attempts) for job in t.jobs(create_comment)] == [("done", 2), ("done", 1)]


async def test_a_call_into_a_lane_may_come_twice() -> None:
    async with testing(forum) as t:
        t.duplicate(create_comment)
        assert await create_comment.call(7, "a") == "7: A"
        await t.drain()
        assert about(7) == ["a", "a"]


async def test_a_lost_lane_is_worked_on_by_another_and_the_first_comes_too_late() -> None:
    app = Goatherd("counter", concurrency=1)
    seen: list[tuple[str, int, int]] = []

    @app.task(key="post_id")
    async def count(ctx: Context, post_id: int, text: str) -> str:
        seen.append((text, ctx.fence.seq, ctx.fence.token))
        return text

    async with testing(app) as t:
        t.lose_lease(count)
        await app.send_many(count.job(1, text) for text in ("a", "b"))
        await t.drain()
        assert [text for text, _, _ in seen] == ["a", "b", "a"]
        (_, first_seq, first_token), (_, next_seq, _), (_, late_seq, late_token) = seen
        assert late_seq == first_seq < next_seq
        assert late_token < first_token
        assert [(job.state, job.attempts, job.result) for job in t.jobs(count)] == [("done", 2, "a"), ("done", 1, "b")]
        assert not t.dead


async def test_three_lost_leases_are_three_deaths() -> None:
    async with testing(forum) as t:
        t.lose_lease(create_comment, times=3)
        await forum.send_many([create_comment.job(7, "a"), create_comment.job(7, "b")])
        await t.drain()
        assert [(job.state, job.attempts) for job in t.jobs(create_comment)] == [("failed", 3), ("queued", 0)]


async def test_code_that_lost_its_lane_and_goes_on_for_too_long_is_stopped() -> None:
    app = Goatherd("counter")
    ends: list[str] = []

    @app.task(key="post_id")
    async def count(ctx: Context, post_id: int) -> None:
        if ends:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                ends.append("stopped")
                raise
        ends.append("done")

    async with testing(app) as t:
        t.lose_lease(count)
        await count.send(1)
        await t.drain()
        assert ends == ["done", "stopped"]
        assert t.jobs(count)[0].state == "done"


async def test_plain_functions_lose_their_lanes_too() -> None:
    app = Goatherd("counter")
    fences: list[Fence] = []

    @app.task(key="post_id")
    def count(ctx: BlockingContext, post_id: int) -> str:
        fences.append(ctx.fence)
        return threading.current_thread().name

    async with testing(app) as t:
        t.lose_lease(count)
        await count.send(1)
        await t.drain()
        assert [job.state for job in t.jobs(count)] == ["done"]
        assert fences[0].token > fences[1].token


async def test_what_late_code_sends_is_done_and_what_it_raises_is_said(caplog: pytest.LogCaptureFixture) -> None:
    app = Goatherd("counter")
    done: list[str] = []

    @app.task
    async def note(text: str) -> None:
        done.append(text)

    @app.task(key="post_id")
    async def count(ctx: Context, post_id: int) -> None:
        if not done:
            done.append("in time")
            return
        await note.send("from a latecomer")
        raise ValueError("too late")

    async with testing(app) as t:
        t.lose_lease(count)
        await count.send(1)
        with caplog.at_level(logging.WARNING, "goatherd.testing"):
            await t.drain()
        assert done == ["in time", "from a latecomer"]
        assert "that lost its lane failed" in caplog.text
        assert t.jobs(count)[0].state == "done"


async def test_a_tracked_job_that_lost_its_lane_has_one_end() -> None:
    async with testing(forum) as t:
        t.lose_lease(create_comment)
        run = await create_comment.start(7, "a")
        await t.drain()
        assert await run.result() == "7: A"
        assert about(7) == ["a", "a"]


async def test_a_call_that_lost_its_lane_is_answered_by_the_other() -> None:
    async with testing(forum) as t:
        t.lose_lease(create_comment)
        assert await create_comment.call(7, "a") == "7: A"
        assert t.jobs(create_comment)[0].attempts == 2


async def test_several_faults_in_a_row_keep_the_order() -> None:
    app = Goatherd("ledger", concurrency=3)
    book: dict[int, list[tuple[int, int]]] = {}

    @app.task(key="account", retry=Retry(5, base=1, factor=1, jitter=0))
    async def enter(ctx: Context, account: int, number: int) -> None:
        lines = book.setdefault(account, [])
        if lines and ctx.fence.token < lines[-1][1]:
            raise Fenced("too late")
        if not lines or lines[-1][0] < number:
            lines.append((number, ctx.fence.token))
        if number % 7 == 3 and ctx.attempt == 1:
            raise ConnectionError("once")

    async with testing(app) as t:
        t.crash(enter, at="end")
        t.lose_lease(enter)
        t.duplicate(enter, times=5)
        await app.send_many(enter.job(number % 4, number) for number in range(60))
        await t.advance(600)
        assert {job.state for job in t.jobs(enter)} == {"done"}
        for account in range(4):
            assert [number for number, _ in book[account]] == list(range(account, 60, 4))


async def test_a_task_without_a_key_has_no_lease_to_lose() -> None:
    async with testing(forum) as t:
        with pytest.raises(ValueError, match="Task 'greet' has no key=, so it works without a lease"):
            t.lose_lease(greet)
        with pytest.raises(ValueError, match="would never happen"):
            t.lose_lease(create_comment, times=0)


async def test_a_keyed_task_of_another_app_is_refused() -> None:
    other = Goatherd("other")

    @other.task(key="number")
    async def stranger(number: int) -> None: ...

    async with testing(forum) as t:
        with pytest.raises(ValueError, match="belongs to <Goatherd other>"):
            t.lose_lease(stranger)
