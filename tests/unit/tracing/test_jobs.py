"""One trace through everything that a job can live through."""

import asyncio

import pytest
from opentelemetry import baggage, context, trace
from opentelemetry.trace import SpanKind, StatusCode

from goatherd import Context, Goatherd, Retry
from goatherd.engine.dead_letters import DeadLetterOffice
from goatherd.engine.traced_voice import MOST_STAGES
from goatherd.events import Progress
from goatherd.model.dead_letter import LetterFilter
from goatherd.model.formats import FormatName
from goatherd.testing import testing
from tests.tracing_in_memory import Story, told


async def test_a_job_and_what_it_sends_are_in_the_trace_of_the_request(story: Story) -> None:
    app = Goatherd("shop", retry=Retry(0))

    @app.task(queue="mail")
    async def greet(name: str) -> None:
        with story.tracer.start_as_current_span("write"):
            await asyncio.sleep(0)
        await count.send(name)

    @app.task
    def count(name: str) -> None:
        story.tracer.start_span("in a thread").end()

    async with testing(app) as t:
        with story.tracer.start_as_current_span("GET /"):
            job_id = await greet.send("ada")
        await t.drain()
    way = "GET / > send greet > process greet"
    assert story.tree() == [
        "GET /",
        "GET / > send greet",
        way,
        f"{way} > send count",
        f"{way} > send count > process count",
        f"{way} > send count > process count > in a thread",
        f"{way} > write",
    ]
    sent, done = story.one("send greet"), story.one("process greet")
    assert (sent.kind, done.kind) == (SpanKind.PRODUCER, SpanKind.CONSUMER)
    names = ("messaging.system", "messaging.destination.name", "messaging.message.id", "messaging.operation.type")
    assert told(sent, *names) == ("sqlite", "mail", job_id, "send")
    assert told(done, *names) == ("sqlite", "mail", job_id, "process")
    assert told(done, "goatherd.attempt", "goatherd.outcome", "goatherd.app") == (1, "done", "shop")
    assert done.status.status_code is StatusCode.UNSET


async def test_delays_retries_dead_letters_and_their_replay_stay_in_the_trace(story: Story) -> None:
    app = Goatherd("shop", retry=Retry(1, base=5, jitter=0))
    broken = True

    @app.task
    async def fetch() -> None:
        if broken:
            raise ValueError("no such page")

    async with testing(app) as t:
        with story.tracer.start_as_current_span("GET /"):
            await fetch.options(delay=60).send()
        await t.advance(100)
        assert [letter.task for letter in t.dead] == ["fetch"]
        first, second = story.named("process fetch")
        broken = False
        office = DeadLetterOffice(app.session().ports.dead_letters, app.format_of)
        assert [count async for count in office.replay(LetterFilter())] == [1]
        await t.drain()
    assert story.tree() == ["GET /", "GET / > send fetch", *["GET / > send fetch > process fetch"] * 3]
    assert told(first, "goatherd.attempt", "goatherd.outcome", "error.type") == (1, "retried", "ValueError")
    assert told(second, "goatherd.attempt", "goatherd.outcome", "error.type") == (2, "dead", "ValueError")
    [event] = second.events
    assert (event.name, (event.attributes or {})["exception.message"]) == ("exception", "no such page")
    assert "raise ValueError" in str((event.attributes or {})["exception.stacktrace"])
    assert second.status.status_code is StatusCode.ERROR
    assert told(story.named("process fetch")[2], "goatherd.outcome") == ("done",)


async def test_a_call_is_a_client_and_its_failure_is_told_on_both_sides(story: Story) -> None:
    app = Goatherd("shop", retry=Retry(0))

    @app.task
    async def divide(by: int) -> float:
        return 1 / by

    async with testing(app):
        assert await divide.call(2) == 0.5
        try:
            await divide.call(0)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is in the trace
            failure = error
    good, bad = story.named("call divide")
    assert (good.kind, bad.kind) == (SpanKind.CLIENT, SpanKind.CLIENT)
    assert (told(good, "error.type"), told(bad, "error.type")) == ((None,), (type(failure).__name__,))
    assert [told(span, "goatherd.outcome", "error.type") for span in story.named("process divide")] == [
        ("done", None),
        ("failed", "ZeroDivisionError"),
    ]
    assert story.traces == 2


async def test_a_job_that_comes_twice_says_so_in_its_trace(story: Story) -> None:
    app = Goatherd("shop", retry=Retry(0))
    done: list[int] = []

    @app.task
    async def work() -> None:
        done.append(1)

    async with testing(app) as t:
        t.duplicate(work)
        await work.start()
        await t.drain()
    assert done == [1]
    assert [told(span, "goatherd.outcome") for span in story.named("process work")] == [("done",), ("done",)]


async def test_of_very_many_stages_a_trace_has_the_first(story: Story) -> None:
    app = Goatherd("shop", retry=Retry(0))

    @app.task
    async def work(ctx: Context) -> None:
        for number in range(MOST_STAGES + 50):
            await ctx.progress(f"stage {number}")

    async with testing(app) as t:
        run = await work.start()
        await t.drain()
        assert len([event async for event in run.events() if isinstance(event, Progress)]) == MOST_STAGES + 50
    events = story.one("process work").events
    assert [(event.attributes or {})["goatherd.stage"] for event in events] == [
        f"stage {number}" for number in range(MOST_STAGES)
    ]


async def test_many_jobs_have_one_span_for_the_sending_and_one_each_for_the_work(story: Story) -> None:
    app = Goatherd("shop", retry=Retry(0))

    @app.task
    async def a(number: int) -> None: ...

    @app.task(key="number")
    async def b(number: int) -> None: ...

    async with testing(app) as t:
        await app.send_many(a.job(number) for number in range(3))
        await app.send_many([a.job(1), b.job(2)])
        await t.drain()
    assert told(story.one("send a"), "messaging.batch.message_count") == (3,)
    assert story.tree().count("send a > process a") == 3
    assert [path for path in story.tree() if "several" in path] == [
        "send several tasks",
        "send several tasks > process a",
        "send several tasks > process b",
    ]


@pytest.mark.parametrize("format", ["native", "plain", "taskiq"])
async def test_what_comes_without_a_trace_begins_one(story: Story, format: FormatName) -> None:
    app = Goatherd("shop", retry=Retry(0))
    app.queue("orders", format=format)

    @app.task(queue="orders")
    async def order(item: str) -> None: ...

    async with testing(app) as t:
        broker = app.session().ports.broker
        sender = app.session().sender
        known = sender.message(order.job("tea"), headers={"traceparent": f"00-{'1' * 32}-{'2' * 16}-01"})
        await broker.publish([known])
        await broker.publish([sender.message(order.job("milk"))])
        nonsense = sender.message(order.job("oats"), headers={"traceparent": "00-nothing-at-all"})
        await broker.publish([nonsense])
        with story.tracer.start_as_current_span("where the worker works"):
            await t.drain()
    stranger, *own = story.named("process order")
    assert stranger.parent is not None
    assert (stranger.context.trace_id, stranger.parent.span_id) == (int("1" * 32, 16), int("2" * 16, 16))
    assert [span.parent for span in own] == [None, None]


async def test_baggage_and_the_state_of_other_tracing_systems_travel_too(story: Story) -> None:
    app = Goatherd("shop", retry=Retry(0))
    seen: list[object] = []

    @app.task
    async def work() -> None:
        state = trace.get_current_span().get_span_context().trace_state
        seen.append((baggage.get_baggage("tenant"), state.get("vendor")))

    parent = trace.SpanContext(1, 2, is_remote=True, trace_state=trace.TraceState([("vendor", "x")]))
    here = trace.set_span_in_context(trace.NonRecordingSpan(parent), baggage.set_baggage("tenant", "a, b"))
    async with testing(app) as t:
        token = context.attach(here)
        await work.send()
        context.detach(token)
        await t.drain()
    assert seen == [("a, b", "x")]


async def test_what_is_not_sampled_is_not_recorded_but_passed_on(story: Story) -> None:
    app = Goatherd("shop", retry=Retry(0))
    seen: list[trace.SpanContext] = []

    @app.task
    async def work() -> None:
        seen.append(trace.get_current_span().get_span_context())

    async with testing(app) as t:
        message = app.session().sender.message(work.job(), headers={"traceparent": f"00-{'1' * 32}-{'2' * 16}-00"})
        await app.session().ports.broker.publish([message])
        await t.drain()
    assert story.spans == []
    assert [(each.trace_id, each.trace_flags.sampled) for each in seen] == [(int("1" * 32, 16), False)]
