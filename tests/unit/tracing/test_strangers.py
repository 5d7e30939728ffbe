"""What other programs put into their headers is taken up if it can be, and never gets in the way of a job."""

import logging
from pathlib import Path

import msgspec
import pytest
from opentelemetry import baggage
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor

from goatherd import Goatherd, Retry
from goatherd.model.message import Headers, Message
from goatherd.testing import testing
from tests.tracing_in_memory import Story, told

TRACE, SPAN = "1" * 32, "2" * 16
PARENT = f"00-{TRACE}-{SPAN}-01"
LONG = "x" * 1_000_000
# fmt: off
NONSENSE: dict[str, Headers] = {
    "an empty one": {"traceparent": ""},
    "a long one": {"traceparent": LONG},
    "one of a later version": {"traceparent": f"cc-{TRACE}-{SPAN}-01-and-more"},
    "one of no version": {"traceparent": f"ff-{TRACE}-{SPAN}-01"},
    "no trace": {"traceparent": f"00-{'0' * 32}-{SPAN}-01"},
    "large letters": {"traceparent": f"00-{'A' * 32}-{SPAN}-01"},
    "digits of others": {"traceparent": f"00-{chr(0x661) * 32}-{SPAN}-01"},
    "a line's end": {"traceparent": f"{PARENT}\n"},
    "a number": {"traceparent": 7},
    "a long state": {"traceparent": PARENT, "tracestate": "a=b," * 100_000},
    "a state that is none": {"traceparent": PARENT, "tracestate": "=,=,;\n"},
    "long baggage": {"traceparent": PARENT, "baggage": f"a={LONG}"},
    "baggage that is none": {"traceparent": PARENT, "baggage": "%ff=%zz;;;,=,a"},
    "baggage alone": {"baggage": "a=b"},
    "a state alone": {"tracestate": "a=b"},
}
# fmt: on


@pytest.mark.parametrize("headers", NONSENSE.values(), ids=NONSENSE)
async def test_a_job_is_done_whatever_its_headers_say(
    story: Story, headers: Headers, caplog: pytest.LogCaptureFixture
) -> None:
    app = Goatherd("shop", retry=Retry(0))
    done: list[int] = []

    @app.task
    async def work() -> None:
        await more.send()

    @app.task
    def more() -> None:
        done.append(1)

    async with testing(app) as t:
        message = app.session().sender.message(work.job(), headers=headers)
        await app.session().ports.broker.publish([message])
        await t.drain()
        assert not t.dead
    assert done == [1]
    assert story.tree()[-1].endswith("process work > send more > process more")
    # Nobody can fill our log from afar.
    assert not [record for record in caplog.records if len(record.getMessage()) > 10_000]
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_a_run_that_a_stranger_begins_is_in_the_strangers_trace(story: Story, tmp_path: Path) -> None:
    app = Goatherd("films", broker_url=f"sqlite:///{tmp_path}/jobs.db", retry=Retry(0))
    app.queue("task.cut", format="native")
    films = app.pipeline("films", takes=int, gives=int)
    seen: dict[int, object] = {}

    @films.step(after=films.input, queue="task.cut")
    async def cut(number: int) -> int:
        return number

    @films.step(after=cut)
    async def paste(number: int) -> int:
        seen[number] = baggage.get_baggage("tenant")
        return number

    # Whoever chooses the id of the story could write anything into it.
    notes = [
        {"task_id": f"film-{number}", "step": "cut", "trace_id": f"story\ntraceparent: {PARENT}", "payload": number}
        for number in (7, 8)
    ]
    known: Headers = {"traceparent": f"00-{'3' * 32}-{SPAN}-01", "baggage": "tenant=a"}
    async with app.serve("worker"):
        for note, headers in zip(notes, (known, {}), strict=True):
            body = msgspec.json.encode(note)
            message = Message(id=str(note["task_id"]), queue="task.cut", body=body, headers=headers)
            await app.session().ports.broker.publish([message])
        await story.until(lambda so_far: len(so_far.spans) == 4)
    first, second = (
        {(span.context.trace_id, span.parent and span.parent.span_id) for span in story.spans if told_run(span) == run}
        for run in ("film-7", "film-8")
    )
    assert first == {(int("3" * 32, 16), int(SPAN, 16))}
    assert len(second) == 2, "each attempt begins a trace"
    assert {parent for _, parent in second} == {None}
    assert seen == {7: "a", 8: None}


def told_run(span: ReadableSpan) -> object:
    [run] = told(span, "goatherd.run")
    return run


class Broken(SpanProcessor):
    """Fails wherever it is asked."""

    def on_start(self, span: object, parent_context: object = None) -> None:
        raise RuntimeError("the beginning is too much")

    def on_end(self, span: ReadableSpan) -> None:
        raise RuntimeError("the end is too much")


class BrokenAtTheEnd(Broken):
    """Fails when it is too late to do without."""

    def on_start(self, span: object, parent_context: object = None) -> None: ...


@pytest.fixture(params=[Broken, BrokenAtTheEnd])
def broken_story(story: Story, request: pytest.FixtureRequest) -> Story:
    story.provider.add_span_processor(request.param())
    return story


async def test_what_records_spans_may_fail_and_jobs_go_on(
    broken_story: Story, caplog: pytest.LogCaptureFixture
) -> None:
    app = Goatherd("shop", retry=Retry(0))
    films = app.pipeline("films", takes=int, gives=int)
    done: list[str] = []

    @films.step(after=films.input)
    async def cut(number: int) -> int:
        done.append("step")
        return number

    @app.task
    async def work() -> str:
        done.append("job")
        return "well"

    @app.every(60)
    async def beat() -> None:
        done.append("tick")

    async with testing(app) as t:
        # A message that names its trace, and some that do not.
        known = app.session().sender.message(work.job(), headers={"traceparent": PARENT})
        await app.session().ports.broker.publish([known])
        await work.send()
        await app.send_many([work.job(), work.job()])
        assert await work.call() == "well"
        await films.start(1)
        await t.drain()
        assert sorted(done) == ["job"] * 5 + ["step"]
        await t.advance(60)
        assert done[-1] == "tick"
        await t.advance(100)
        assert not t.dead
    assert done.count("job") == 5, "none is done twice"
    assert "too much" in caplog.text
