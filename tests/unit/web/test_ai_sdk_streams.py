"""Streams of the AI SDK's format, as clients get them."""

import pytest

from goatherd.ports.events import Events
from goatherd.testing.suites.event_store import Author, done
from goatherd.web.gateway import Gateway
from tests.unit.web.conftest import Visit
from tests.unit.web.readers import chunks, has, last_id, message, stall

AI_SDK = {"format": "ai-sdk"}
FEW = {"gateway_buffer": 5}
SOON = {"gateway_keepalive": 0.2}


async def test_an_ai_sdk_stream_says_what_it_is(visit: Visit, author: Author) -> None:
    await author.say("Hello")
    visitor = await has(visit(AI_SDK), "Hello")
    assert visitor.headers["x-vercel-ai-ui-message-stream"] == "v1"
    assert visitor.headers["content-type"] == "text/event-stream; charset=utf-8"
    head = await visit(AI_SDK, method="HEAD").over()
    assert (head.status, head.headers["x-vercel-ai-ui-message-stream"]) == (200, "v1")


async def test_an_ai_sdk_stream_begins_with_the_whole_text_and_goes_on_live(
    visit: Visit, author: Author, job: str
) -> None:
    await author.write(author.progress("fetch", 10))
    await author.say("Hello ", "World")
    visitor = await has(visit(AI_SDK), "Hello World")
    kinds = [chunk.data["type"] for chunk in chunks(visitor)]
    assert kinds == ["start", "start-step", "data-stage", "text-start", "text-delta"]
    assert chunks(visitor)[0].data["messageId"] == job
    await author.say("!")
    await author.write(done())
    await visitor.over()
    made = message(visitor)
    assert (made.text, made.stages, made.finished) == ("Hello World!", ["fetch"], True)


@pytest.mark.parametrize("settings", [SOON], indirect=True)
async def test_an_ai_sdk_stream_that_was_cut_goes_on_after_its_last_id(visit: Visit, author: Author) -> None:
    first = await has(visit({**AI_SDK, "after": "earliest"}), "started")
    await author.say("Hello ")
    await has(first, "Hello")
    await first.leave()
    await author.say("World")
    await author.write(done())
    second = await visit(AI_SDK, {"last-event-id": last_id(first)}).over()
    assert [chunk.data["type"] for chunk in chunks(second)[:-1]] == ["text-delta", "text-end", "finish-step", "finish"]
    made = message(first, second)
    assert (made.text, made.finished) == ("Hello World", True)
    assert len([part for part in made.parts if part["type"] == "text"]) == 1


@pytest.mark.parametrize("events_left", ["kept", "gone"])
async def test_useChat_has_nothing_to_resume_when_nothing_goes_on(  # noqa: N802 - so it is called
    visit: Visit, events: Events, author: Author, job: str, events_left: str
) -> None:
    await author.say("Hello")
    await author.write(done())
    if events_left == "gone":
        await events.forget(job)
    assert (await visit(AI_SDK).over()).status == 204
    assert (await visit(AI_SDK, method="HEAD").over()).status == 204


async def test_useChat_has_nothing_to_resume_of_an_unknown_job(visit: Visit) -> None:  # noqa: N802 - so it is called
    assert (await visit(AI_SDK).over()).status == 204


async def test_one_who_comes_for_the_first_time_gets_an_answer_that_was_quicker(visit: Visit, author: Author) -> None:
    await author.say("Hello")
    await author.write(done())
    visitor = await visit({**AI_SDK, "after": "earliest"}).over()
    assert (message(visitor).text, message(visitor).finished) == ("Hello", True)
    assert (await visit(AI_SDK, {"last-event-id": last_id(visitor)}).over()).status == 204


@pytest.mark.parametrize("settings", [FEW], indirect=True)
async def test_a_slow_reader_of_ai_sdk_loses_what_it_has_and_gets_the_whole_text(
    visit: Visit, author: Author, gateway: Gateway
) -> None:
    slow, fast = await has(visit(AI_SDK), "started"), await has(visit(AI_SDK), "started")
    await stall(slow, fast, author)
    await author.write(done())
    await slow.over()
    await fast.over()
    assert message(slow).text == message(fast).text == "".join(f"{word} " for word in range(1500))
    assert b"reset-step" in slow.body
    assert b"reset-step" not in fast.body
    assert gateway.metrics.resyncs["slow"] == 1
