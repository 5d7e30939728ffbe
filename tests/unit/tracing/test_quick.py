"""The span that costs little tells exporters the same as one of the SDK, and can all that a span can."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, SpanLimits, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, DEFAULT_ON, ParentBased, Sampler
from opentelemetry.trace import Status, StatusCode

from goatherd import Goatherd, Retry
from goatherd.adapters.opentelemetry import tracer as tracers
from goatherd.adapters.opentelemetry.quick import QuickSpan
from goatherd.adapters.opentelemetry.quick_choice import quick_spans
from goatherd.testing import testing
from tests.tracing_in_memory import Story

PARENT = f"00-{'1' * 32}-{'2' * 16}-01"


@pytest.fixture(params=["quick", "SDK"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "SDK":
        monkeypatch.setattr(tracers, "quick_spans", lambda tracer, always: None)
    return str(request.param)


async def test_exporters_see_the_same(story: Story, kind: str) -> None:
    app = Goatherd("shop", retry=Retry(0))
    linked = trace.SpanContext(7, 8, is_remote=True)

    @app.task(queue="mail")
    async def work() -> None:
        span = trace.get_current_span()
        assert isinstance(span, QuickSpan) == (kind == "quick")
        span.set_attribute("colour", "red")
        span.set_attributes({"size": 3, "goatherd.task": "mine"})
        span.add_event("seen", {"by": "me"})
        span.add_link(linked)
        span.update_name("my work")
        assert span.is_recording()
        assert trace.get_current_span().get_span_context() == span.get_span_context()
        raise ValueError("no")

    async with testing(app) as t:
        message = app.session().sender.message(work.job(), headers={"traceparent": PARENT})
        await app.session().ports.broker.publish([message])
        await t.drain()
    span = story.one("my work")
    told = json.loads(span.to_json())
    assert told["parent_id"] == f"0x{'2' * 16}"
    assert told["context"]["trace_id"] == f"0x{'1' * 32}"
    assert told["kind"] == "SpanKind.CONSUMER"
    assert told["status"] == {"status_code": "ERROR", "description": "ValueError: no"}
    facts = told["attributes"]
    assert {name for name in facts if name.startswith("messaging")} == {
        "messaging.system", "messaging.destination.name", "messaging.operation.name", "messaging.operation.type",
        "messaging.message.id", "messaging.message.conversation_id",
    }  # fmt: skip
    assert (facts["colour"], facts["size"]) == ("red", 3)
    assert (facts["goatherd.task"], facts["goatherd.outcome"]) == ("mine", "dead")
    assert [event["name"] for event in told["events"]] == ["seen", "exception"]
    assert [link.context for link in span.links] == [linked]
    assert (span.dropped_attributes, span.dropped_events, span.dropped_links) == (0, 0, 0)
    assert span.instrumentation_scope is not None
    assert span.instrumentation_scope.name == "goatherd"
    assert (span.start_time or 0) < (span.end_time or 0)
    assert span.resource.attributes["telemetry.sdk.name"] == "opentelemetry"


async def test_what_is_said_after_the_end_is_not_heard(story: Story) -> None:
    app = Goatherd("shop", retry=Retry(0))
    kept: list[trace.Span] = []

    @app.task
    async def work() -> None:
        span = trace.get_current_span()
        span.set_status(StatusCode.OK)
        span.set_status(Status(StatusCode.ERROR, "too late"))
        kept.append(span)

    async with testing(app) as t:
        await work.send()
        await t.drain()
    [span] = kept
    span.set_attribute("late", 1)
    span.add_event("late")
    span.record_exception(ValueError("late"))
    span.update_name("late")
    span.end()
    told = story.one("process work")
    assert ("late" in (told.attributes or {}), list(told.events), told.status.status_code) == (False, [], StatusCode.OK)
    assert not hasattr(told, "no_such_thing")


async def test_a_processor_sees_it_begin_and_may_add_to_it(story: Story) -> None:
    class Marking(SpanProcessor):
        def on_start(self, span: trace.Span, parent_context: object = None) -> None:
            span.set_attribute("marked", str(getattr(span, "name", "")))

        def on_end(self, span: ReadableSpan) -> None: ...

    story.provider.add_span_processor(Marking())
    app = Goatherd("shop", retry=Retry(0))

    @app.task
    async def work() -> None: ...

    async with testing(app) as t:
        await work.send()
        await t.drain()
    assert (story.one("process work").attributes or {})["marked"] == "process work"


@pytest.mark.parametrize(
    ("sampler", "quick"),
    [
        (DEFAULT_ON, True),
        (ParentBased(ALWAYS_OFF), True),
        (ALWAYS_ON, False),
        (ParentBased(ALWAYS_ON, remote_parent_sampled=ALWAYS_OFF), False),
    ],
)
def test_only_where_the_sampler_follows_the_sender(sampler: Sampler, quick: bool) -> None:
    tracer = TracerProvider(sampler=sampler).get_tracer("goatherd")
    assert (quick_spans(tracer, {}) is not None) == quick
    assert quick_spans(trace.NoOpTracerProvider().get_tracer("goatherd"), {}) is None


async def test_a_chatty_task_is_kept_as_the_sdk_would(story: Story, kind: str) -> None:
    app = Goatherd("shop")

    @app.task
    async def work() -> None:
        span = trace.get_current_span()
        for number in range(200):
            span.add_event(f"event {number}")
            span.add_link(trace.SpanContext(7, number + 1, is_remote=True))
            span.set_attribute(f"attribute {number}", number)

    async with testing(app) as t:
        message = app.session().sender.message(work.job(), headers={"traceparent": PARENT})
        await app.session().ports.broker.publish([message])
        await t.drain()
    span = story.one("process work")
    assert [event.name for event in span.events] == [f"event {number}" for number in range(72, 200)]
    assert (len(span.links), span.dropped_links, span.dropped_events) == (128, 72, 72)
    assert len(span.attributes or {}) == 128


@pytest.mark.parametrize("limits", [SpanLimits(max_events=3), SpanLimits(max_span_attribute_length=10)])
def test_limits_of_the_users_own_are_the_sdks_business(limits: SpanLimits) -> None:
    assert quick_spans(TracerProvider().get_tracer("goatherd"), {}) is not None
    assert quick_spans(TracerProvider(span_limits=limits).get_tracer("goatherd"), {}) is None


def test_threads_that_come_at_once_see_one_place_in_the_trace() -> None:
    made = quick_spans(TracerProvider().get_tracer("goatherd"), {})
    assert made is not None
    with ThreadPoolExecutor(8) as pool:
        before = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            for _ in range(200):
                span = made.begin(PARENT, None, None)  # type: ignore[arg-type] # nothing of them is read here
                assert span is not None
                barrier = Barrier(8)
                places = pool.map(
                    lambda _, span=span, barrier=barrier: (barrier.wait(), span.get_span_context())[1], range(8)
                )
                assert len({place.span_id for place in places}) == 1
        finally:
            sys.setswitchinterval(before)
