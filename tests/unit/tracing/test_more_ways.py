"""One trace through pipelines, lanes, ticks, events and the gateway."""

from pathlib import Path

import pytest

from goatherd import Context, Goatherd, Retry
from goatherd.model.stream_token import sign
from goatherd.sync import Context as BlockingContext
from goatherd.testing import testing
from goatherd.web.gateway import Gateway
from tests.tracing_in_memory import Story, told
from tests.unit.web.visitor import Visitor

SECRET = "a secret for tests alone"


async def test_from_a_request_to_a_job_to_a_step_to_whoever_watches(story: Story, tmp_path: Path) -> None:
    app = Goatherd("films", broker_url=f"sqlite:///{tmp_path}/jobs.db", secret=SECRET, retry=Retry(0))
    films = app.pipeline("films", takes=int, gives=str)

    @films.step(after=films.input)
    async def cut(ctx: Context, number: int) -> str:
        await ctx.progress("cutting", 50)
        return f"film {number}"

    @app.task
    async def order(number: int) -> str:
        return (await films.start(number)).id

    gateway = Gateway([app])
    async with app.serve("worker"):
        with story.tracer.start_as_current_span("POST /orders"):
            run_id = await (await order.start(7)).result(timeout=30)
        token = sign(SECRET, "films", run_id, "ada", app.clock.now() + 900)
        request = {"authorization": f"Bearer {token}", "traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}
        visitor = Visitor(gateway, f"/films/{run_id}/events", headers=request)
        await visitor.until(lambda seen: seen.complete)
        await visitor.task
        assert await app.run(run_id, films).result(timeout=30) == "film 7"
        # What carries the trace is not for those who watch.
        assert not any(hasattr(event, "trace") for event in [event async for event in app.run(run_id).events()])
    await gateway.close()
    way = "POST /orders > start order > process order > start films"
    assert story.tree() == [
        "POST /orders",
        "POST /orders > start order",
        "POST /orders > start order > process order",
        way,
        f"{way} > process films.cut",
        f"{way} > stream films",
    ]
    assert story.traces == 1
    stream = story.one("stream films")
    assert told(stream, "goatherd.job", "goatherd.app") == (run_id, "films")
    [link] = stream.links
    assert (link.context.trace_id, link.context.span_id) == (int("a" * 32, 16), int("b" * 16, 16))
    step = story.one("process films.cut")
    assert told(step, "goatherd.run") == (run_id,)
    [event] = step.events
    assert event.name == "progress"
    assert dict(event.attributes or {}) == {"goatherd.stage": "cutting", "goatherd.percent": 50}


async def test_every_step_item_and_attempt_of_a_run_is_under_its_beginning(story: Story) -> None:
    app = Goatherd("films", retry=Retry(1, base=1, jitter=0))
    films = app.pipeline("films", takes=int, gives=list[str])
    tried: list[int] = []

    @films.step(after=films.input)
    def frames(ctx: BlockingContext, number: int) -> list[int]:
        return list(range(number))

    @films.map(over=frames)
    async def paint(item: int) -> str:
        tried.append(item)
        if tried.count(1) == 1 and item == 1:
            raise ValueError("no paint")
        return str(item)

    async with testing(app) as t:
        with story.tracer.start_as_current_span("POST /films"):
            await films.start(2)
        await t.advance(10)
    way = "POST /films > start films"
    assert story.tree() == ["POST /films", way, f"{way} > process films.frames", *[f"{way} > process films.paint"] * 3]
    outcomes = sorted(told(span, "goatherd.attempt", "goatherd.outcome") for span in story.named("process films.paint"))
    assert outcomes == [(1, "done"), (1, "retried"), (2, "done")]


async def test_a_tick_begins_a_trace_of_its_own(story: Story) -> None:
    app = Goatherd("ticks", retry=Retry(0))

    @app.every(60)
    async def beat() -> None:
        await note.send(1)

    @app.task
    async def note(number: int) -> None: ...

    async with testing(app) as t:
        with story.tracer.start_as_current_span("whoever moves the clock"):
            await t.advance(120)
        await app.schedules.set("a", note.job(1), every=60)
        await app.schedules.set("b", note.job(2), every=60)
        await t.advance(60)
    assert story.tree().count("fire beat > process beat > send note > process note") == 3
    # Their jobs are sent together, and each is under its own tick all the same.
    assert "fire a > process note" in story.tree()
    assert "fire b > process note" in story.tree()
    assert told(story.named("fire a")[0], "goatherd.schedule", "goatherd.app") == ("a", "ticks")


async def test_jobs_with_a_key_stay_in_their_traces(story: Story) -> None:
    app = Goatherd("forum", retry=Retry(1, base=1, jitter=0))
    failed: list[int] = []

    @app.task(key="post")
    async def comment(post: int, text: str) -> str:
        if not failed:
            failed.append(post)
            raise ValueError("not yet")
        return text

    async with testing(app) as t:
        for text in "ab":
            with story.tracer.start_as_current_span(f"POST {text}"):
                await comment.send(1, text)
        await t.advance(10)
        assert await comment.call(1, "c") == "c"
    assert [path for path in story.tree() if path.startswith("POST")] == [
        "POST a",
        "POST a > send comment",
        "POST a > send comment > process comment",
        "POST a > send comment > process comment",
        "POST b",
        "POST b > send comment",
        "POST b > send comment > process comment",
    ]
    assert "call comment > process comment" in story.tree()


@pytest.mark.parametrize("tracing", ["off", "auto"])
async def test_nothing_is_begun_where_it_is_turned_off(story: Story, tracing: str) -> None:
    app = Goatherd("shop", tracing=tracing)  # type: ignore[arg-type]

    @app.task
    async def work() -> None: ...

    async with testing(app) as t:
        await work.send()
        await t.drain()
    assert bool(story.spans) == (tracing == "auto")
