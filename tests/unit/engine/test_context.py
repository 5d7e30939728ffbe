"""What a task knows about its own job, and what it leaves to the jobs that it sends."""

import asyncio
import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime

import pytest

from goatherd import Context, Goatherd, Retry, sync
from goatherd.engine.context import current
from tests.unit.engine.stage import HandClock, at_work, opened

user: ContextVar[str] = ContextVar("user", default="nobody")


async def test_a_task_knows_its_job(app: Goatherd, clock: HandClock) -> None:
    seen = []

    @app.task(queue="mail", timeout=30, retry=Retry(1, base=10, jitter=0))
    async def send_mail(ctx: Context, to: str) -> None:
        seen.append((ctx.app, ctx.job_id, ctx.run_id, ctx.queue, ctx.attempt, ctx.remaining))
        if ctx.attempt == 1:
            raise ConnectionError

    async with at_work(app) as stage:
        job_id = await send_mail.send("a@b.c")
        await stage.saw("replaced")
        clock.advance(10)
        await stage.saw("acked")
    assert seen == [(app, job_id, job_id, "mail", attempt, 30.0) for attempt in (1, 2)]


async def test_what_remains_is_the_nearer_of_deadline_and_time_out(app: Goatherd, clock: HandClock) -> None:
    seen = []

    @app.task(timeout=30)
    async def limited(ctx: Context) -> None:
        seen.append(ctx.remaining)

    @app.task
    async def unlimited(ctx: Context) -> None:
        seen.append(ctx.remaining)

    async with at_work(app) as stage:
        for job in (
            limited.options(deadline=5),
            limited.options(deadline=50),
            unlimited.options(deadline=7),
            unlimited,
        ):
            await job.send()
            await stage.saw("acked", len(seen) + 1)
    assert seen == [5, 30, 7, None]


async def test_what_remains_shrinks_and_never_falls_below_nothing(app: Goatherd, clock: HandClock) -> None:
    seen = []

    @app.task(timeout=30)
    async def slow(ctx: Context) -> None:
        for _ in range(3):
            seen.append(ctx.remaining)
            clock.advance(20)

    async with at_work(app) as stage:
        await slow.send()
        await stage.saw("acked")
    assert seen == [30, 10, 0]


async def test_a_line_of_the_log_says_which_job_it_is_about(app: Goatherd, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "goatherd.task")

    @app.task
    async def rebate(ctx: Context, percent: int) -> None:
        ctx.log.info("gave %d %%", percent, extra={"customer": 7})
        ctx.log.info("done", extra=None)

    async with at_work(app) as stage:
        await rebate.options(id="50%-off").send(50)
        await stage.saw("acked")
    first, second = (record for record in caplog.records if record.name == "goatherd.task")
    assert first.getMessage() == "rebate[50%-off#1] gave 50 %"
    assert {name: getattr(first, name) for name in ("job_id", "task", "queue", "attempt", "customer")} == {
        "job_id": "50%-off", "task": "rebate", "queue": "shop", "attempt": 1, "customer": 7,
    }  # fmt: skip
    assert second.getMessage().endswith("done")


async def test_context_variables_do_not_leak_from_one_job_to_the_next(app: Goatherd) -> None:
    seen = []

    @app.task
    async def on_loop(name: str) -> None:
        seen.append(user.get())
        user.set(name)

    @app.task
    def in_thread(name: str) -> None:
        seen.append(user.get())
        user.set(name)

    async with at_work(app) as stage:
        for number, task in enumerate((on_loop, in_thread, on_loop, in_thread), 1):
            await task.send("Ada")
            await stage.saw("acked", number)
    assert seen == ["nobody"] * 4
    assert current.get() is None


async def test_a_thread_sees_the_context_variables_of_its_hooks(app: Goatherd) -> None:
    seen = []

    @app.around
    async def scoped(ctx: Context):  # type: ignore[no-untyped-def]
        user.set("hook")
        yield

    @app.task
    def in_thread() -> None:
        seen.append(user.get())

    async with at_work(app) as stage:
        await in_thread.send()
        await stage.saw("acked")
    assert seen == ["hook"]


async def test_what_a_job_sends_belongs_to_the_same_story(app: Goatherd) -> None:
    @app.task
    async def parent() -> None:
        await child.send()
        await app.send_many([grandchild.job()])

    @app.task(queue="quiet", remote=True)
    async def child() -> None: ...

    @app.task(queue="quiet", remote=True)
    async def grandchild() -> None: ...

    async with at_work(app) as stage:
        sent = []
        publish = stage.broker.publish

        async def noting_publish(messages):  # type: ignore[no-untyped-def]
            sent.extend(json.loads(message.body) for message in messages)
            await publish(messages)

        stage.broker.publish = noting_publish  # type: ignore[method-assign]
        job_id = await parent.send()
        await stage.saw("acked")
        outside = await child.send()
    assert [(body["step"], body["trace_id"]) for body in sent] == [
        ("parent", job_id),
        ("child", job_id),
        ("grandchild", job_id),
        ("child", outside),
    ]


# --- tasks that are called like functions ------------------------------------------------------------------------


async def test_a_task_that_is_called_runs_here_with_a_context_of_its_own(app: Goatherd) -> None:
    @app.task
    async def greet(ctx: Context, name: str) -> str:
        return f"{ctx.job_id} {ctx.attempt} {ctx.queue} {ctx.remaining} {name}"

    @app.task
    def greet_plainly(ctx: sync.Context, name: str) -> str:
        return f"{ctx.job_id} {ctx.cancelled} {name}"

    assert await greet("Ada") == "local 1 shop None Ada"
    assert greet_plainly(name="Ada") == "local False Ada"


async def test_a_task_that_is_called_inside_of_another_shares_its_context(app: Goatherd) -> None:
    seen = []

    @app.task
    async def inner(ctx: Context) -> str:
        return ctx.job_id

    @app.task
    def plain_inner(ctx: sync.Context) -> str:
        return ctx.job_id

    @app.task
    async def outer() -> None:
        seen.append(("outer", await inner(), plain_inner()))

    @app.task
    def plain_outer() -> None:
        seen.append(("plain outer", plain_inner(), asyncio.run(inner())))

    async with at_work(app) as stage:
        one = await outer.send()
        await stage.saw("acked")
        other = await plain_outer.send()
        await stage.saw("acked", 2)
    assert seen == [("outer", one, one), ("plain outer", other, other)]


async def test_a_time_in_the_wire_is_when_the_job_was_sent(app: Goatherd, clock: HandClock) -> None:
    @app.task
    async def broken() -> None:
        raise ValueError

    async with opened(app):
        await broken.send()
        sent_at = clock.now()
        clock.advance(60)
    async with at_work(app) as stage:
        letter = await stage.letter()
    assert letter.created_at == datetime.fromtimestamp(sent_at, UTC)
