"""Stories: a worker with lanes is lost, stopped, asked and left without its store."""

import asyncio
import logging
from typing import Any

import pytest

from goatherd import Context, Goatherd
from goatherd.errors import CallTimeout, Fenced, JobFailed, Unavailable
from tests.unit.engine.lane_stage import on_lanes
from tests.unit.engine.stage import PATIENCE, Notes

POST_1 = "shop/post=1"


async def test_a_lane_that_was_lost_stops_its_job_and_another_attempt_does_it(app: Goatherd) -> None:
    notes, tokens = Notes(), []

    @app.task(key="post")
    async def comment(ctx: Context, post: int) -> None:
        tokens.append(ctx.fence.token)
        if len(tokens) > 1:
            return
        notes("begun")
        try:
            await asyncio.Event().wait()
        finally:
            notes("stopped")

    async with on_lanes(app) as stage:
        await comment.send(1)
        await notes.saw("begun")
        await stage.unblock(POST_1)
        await notes.saw("stopped")
        await stage.saw("Commit")
        await stage.emptied()
        assert tokens[1] > tokens[0]
        assert await stage.stage.letters() == []


async def test_a_job_that_does_not_stop_when_its_lane_is_lost_has_no_say(app: Goatherd) -> None:
    notes, ends = Notes(), []

    @app.task(key="post")
    async def comment(ctx: Context, post: int) -> int:
        notes("begun")
        if notes.counted["begun"] == 1:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                ends.append("went on")
        return 1

    async with on_lanes(app) as stage:
        await comment.send(1)
        await notes.saw("begun")
        await stage.unblock(POST_1)
        await notes.saw("begun", 2)
        await stage.saw("Commit")
        await stage.emptied()
        assert ends == ["went on"]
        assert stage.notes.counted["Commit"] == 1


async def test_a_call_that_was_fenced_off_is_answered_by_who_has_the_lane(app: Goatherd) -> None:
    go_on, notes = asyncio.Event(), Notes()

    @app.task(key="post")
    async def comment(ctx: Context, post: int) -> str:
        notes("begun")
        if notes.counted["begun"] == 1:
            await go_on.wait()
            raise Fenced("somebody newer has the lane")
        return "by the other"

    async with on_lanes(app) as stage:
        call = asyncio.create_task(comment.call(1))
        await notes.saw("begun")
        # The worker has not noticed yet when its code does.
        await (await app.session().lanes()).operations.unblock(POST_1)
        go_on.set()
        assert await call == "by the other"
        await stage.emptied()


async def test_a_call_whose_effect_was_made_before_is_told_so(app: Goatherd) -> None:
    @app.task(key="post")
    async def comment(post: int) -> int:
        raise Fenced("An earlier attempt of this job in lane post=1 had its effect.", applied=True)

    @app.task(key="post")
    async def like(post: int) -> None:
        raise Fenced("An earlier attempt of this job in lane post=1 had its effect.", applied=True)

    async with on_lanes(app) as stage:
        # Its result died with the attempt, and is not made up.
        with pytest.raises(JobFailed, match="had its effect"):
            await comment.call(1)
        await like.call(1)
        await stage.emptied()


async def test_a_store_that_was_away_hears_what_was_done(app: Goatherd) -> None:
    go_on, notes = asyncio.Event(), Notes()

    @app.task(key="post")
    async def comment(post: int) -> None:
        notes("begun")
        await go_on.wait()

    async with on_lanes(app) as stage:
        await comment.send(1)
        await notes.saw("begun")
        stage.road.closed = True
        go_on.set()
        await stage.saw("no exchange", 2)
        stage.road.closed = False
        await stage.saw("Commit")
        await stage.emptied()
        assert notes.counted["begun"] == 1


@pytest.mark.parametrize("app", [{"concurrency": 2, "grace_period": 0.05}], indirect=True)
async def test_a_worker_stops_though_its_lanes_are_away(
    app: Goatherd, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("goatherd.engine.worker.LAST_WORDS", 0.3)
    notes = Notes()

    @app.task(key="post", concurrency=1)
    async def comment(post: int) -> None:
        notes("begun")
        await asyncio.Event().wait()

    async with on_lanes(app) as stage:
        await app.send_many([comment.job(1), comment.job(2)])
        await notes.saw("begun")
        worker: Any = stage.stage.worker
        async with asyncio.timeout(PATIENCE):
            while not worker._held_up:
                await asyncio.sleep(0.005)
        stage.road.closed = True
        with caplog.at_level(logging.WARNING, "goatherd"):
            async with asyncio.timeout(PATIENCE):
                await stage.stage.worker.stop()
        assert "fault of Goatherd" not in caplog.text
        stage.road.closed = False


async def test_a_call_that_is_given_up_is_not_done(app: Goatherd) -> None:
    notes, go_on = Notes(), asyncio.Event()

    @app.task(key="post")
    async def comment(post: int, text: str) -> None:
        notes(text)
        if text == "first":
            await go_on.wait()

    async with on_lanes(app) as stage:
        await comment.send(1, "first")
        await notes.saw("first")
        call = asyncio.create_task(comment.call(1, "second"))
        async with asyncio.timeout(PATIENCE):
            while not [lane for lane in await stage.lanes() if lane.length == 2]:
                await asyncio.sleep(0.005)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        await comment.send(1, "third")
        go_on.set()
        await notes.saw("third")
        assert notes.counted["second"] == 0


async def test_a_call_that_is_given_up_while_it_runs_is_stopped(app: Goatherd) -> None:
    notes = Notes()

    @app.task(key="post")
    async def comment(post: int) -> None:
        notes("begun")
        try:
            await asyncio.Event().wait()
        finally:
            notes("stopped")

    async with on_lanes(app) as stage:
        call = asyncio.create_task(comment.call(1))
        await notes.saw("begun")
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        await notes.saw("stopped")
        await stage.emptied()


async def test_a_call_whose_deadline_passed_in_the_lane_is_not_done(app: Goatherd) -> None:
    notes, go_on = Notes(), asyncio.Event()

    @app.task(key="post")
    async def comment(post: int, text: str) -> None:
        notes(text)
        if text == "first":
            await go_on.wait()

    async with on_lanes(app) as stage:
        await comment.send(1, "first")
        await notes.saw("first")
        with pytest.raises(CallTimeout):
            await comment.options(deadline=0.05).call(1, "second")
        go_on.set()
        await stage.emptied()
        assert notes.counted["second"] == 0
        assert await stage.stage.letters() == []


async def test_a_run_that_is_cancelled_in_its_lane_is_not_done(app: Goatherd) -> None:
    notes, go_on = Notes(), asyncio.Event()

    @app.task(key="post")
    async def comment(post: int, text: str) -> None:
        notes(text)
        await go_on.wait()

    async with on_lanes(app) as stage:
        first, second = await comment.start(1, "first"), await comment.start(1, "second")
        await notes.saw("first")
        assert await second.cancel()
        assert await first.cancel()
        await stage.emptied()
        assert notes.counted["second"] == 0


async def test_a_send_while_the_store_is_away_is_told(make_app: Any) -> None:
    app = make_app(publish_deadline=0.3)

    @app.task(key="post")
    async def comment(post: int) -> None: ...

    async with on_lanes(app) as stage:
        stage.road.closed = True
        with pytest.raises(Unavailable, match="the road is closed") as raised:
            await comment.options(id="c1").send(1)
        assert raised.value.jobs == ("c1",)
        stage.road.closed = False


async def test_jobs_with_and_without_a_key_go_together_and_each_is_told_apart(make_app: Any) -> None:
    app = make_app(publish_deadline=0.3)
    done = Notes()

    @app.task(key="post", lane_limit=1)
    async def comment(post: int) -> None:
        done("comment")

    @app.task(queue="mail")
    async def mail(to: str) -> None:
        done("mail")

    async with on_lanes(app, queues=["mail"]) as stage:
        jobs = [mail.job("a"), comment.job(1), mail.job("b"), comment.job(1), comment.job(2)]
        with pytest.raises(Unavailable) as raised:
            await app.send_many(jobs)
        assert raised.value.jobs == (jobs[3].id,)
        await done.saw("mail", 2)
        assert sorted(lane.head for lane in await stage.lanes()) == sorted([jobs[1].id, jobs[4].id])
