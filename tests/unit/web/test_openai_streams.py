"""Streams of OpenAI's chunks, as clients get them."""

import pytest

from goatherd.ports.events import Events
from goatherd.testing.suites.event_store import Author, by_platform, done, failed
from tests.unit.web.conftest import Visit
from tests.unit.web.readers import chunks, completion, has, last_id, stall

OPENAI = {"format": "openai"}
FEW = {"gateway_buffer": 5}
SOON = {"gateway_keepalive": 0.2}


async def test_an_openai_stream_from_its_first_chunk_to_its_last(visit: Visit, author: Author, job: str) -> None:
    await author.say("Hello ")
    visitor = await has(visit(OPENAI), "Hello")
    await author.say("World")
    await author.write(done())
    await visitor.over()
    made = completion(visitor)
    assert (made.text, made.roles, made.finish_reason, made.finished) == ("Hello World", ["assistant"], "stop", True)
    assert {chunk.data["id"] for chunk in chunks(visitor)[:-1]} == {job}
    assert {chunk.data["model"] for chunk in chunks(visitor)[:-1]} == {"shop"}


async def test_the_model_has_the_name_that_the_client_gives_it(visit: Visit, author: Author) -> None:
    await author.write(done())
    visitor = await visit({**OPENAI, "model": "goat-1"}).over()
    assert {chunk.data["model"] for chunk in chunks(visitor)[:-1]} == {"goat-1"}


@pytest.mark.parametrize("settings", [SOON], indirect=True)
async def test_an_openai_stream_that_was_cut_goes_on_after_its_last_id(visit: Visit, author: Author) -> None:
    await author.say("Hello ")
    first = await has(visit(OPENAI), "Hello")
    seen = last_id(first)
    await first.leave()
    await author.say("World")
    await author.write(done())
    second = await visit(OPENAI, {"last-event-id": seen}).over()
    assert completion(second).text == "World"
    assert completion(second).roles == []
    assert (await visit(OPENAI, {"last-event-id": last_id(second)}).over()).status == 204


async def test_a_text_that_is_void_ends_an_openai_stream_and_the_next_one_has_the_new_text(
    visit: Visit, events: Events, author: Author, job: str
) -> None:
    await author.say("old")
    visitor = await has(visit(OPENAI), "old")
    again = Author(events, job, attempt=2)
    await again.start()
    await visitor.over()
    assert visitor.complete
    assert (completion(visitor).error, completion(visitor).finished) == ("text_void", False)
    await again.say("new")
    await again.write(done(attempt=2))
    assert completion(await visit(OPENAI).over()).text == "new"


async def test_a_job_that_is_not_known_has_no_completion(
    visit: Visit, events: Events, author: Author, job: str
) -> None:
    await author.say("Hello")
    await author.write(done())
    await events.forget(job)
    assert (await visit(OPENAI).over()).status == 404


async def test_a_failure_is_an_error(visit: Visit, events: Events, author: Author, job: str) -> None:
    await by_platform(events, job, failed())
    made = completion(await visit(OPENAI).over())
    assert (made.error, made.finish_reason, made.finished) == ("job_failed", None, True)


@pytest.mark.parametrize("settings", [FEW], indirect=True)
async def test_a_slow_reader_of_openai_is_told_so_and_gets_no_hole(visit: Visit, author: Author) -> None:
    await author.say("first ")
    slow, fast = await has(visit(OPENAI), "first"), await has(visit(OPENAI), "first")
    await stall(slow, fast, author)
    await slow.over()
    assert completion(slow).error == "text_void"
    assert completion(slow).finish_reason is None
    await author.write(done())
    await fast.over()
    assert completion(fast).text == "first " + "".join(f"{word} " for word in range(1500))
