"""Streams from their first byte to their last."""

import asyncio

import pytest

from goatherd.model.event import Position
from goatherd.ports.events import Events
from goatherd.testing.suites.event_store import Author, by_platform, done, failed, queued, retrying
from goatherd.web.gateway import Gateway
from tests.unit.web.conftest import Visit

SOON = {"gateway_keepalive": 0.2}


async def test_the_first_bytes_come_at_once(visit: Visit, author: Author) -> None:
    visitor = await visit().until(lambda visitor: visitor.body)
    assert visitor.status == 200
    assert visitor.headers == {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store, no-transform",
        "x-accel-buffering": "no",
        "referrer-policy": "no-referrer",
    }
    position = visitor.reader.last_id
    assert visitor.body.startswith(f"retry: 2000\n: goatherd mode=snapshot pos={position}\n\n".encode())


async def test_without_a_cursor_the_job_is_told_as_it_stands_and_then_live(visit: Visit, author: Author) -> None:
    await author.write(author.progress("fetch", 10))
    await author.say("Hello ", "World")
    visitor = await visit().told("token_recovery")
    stage, text = visitor.reader.frames
    assert (stage.event, stage.id, stage.content["progress"]) == ("fetch", None, 10)
    assert (text.content["accumulated"], text.content["last_seq"], text.content["completed"]) == (
        "Hello World",
        5,
        False,
    )
    await author.say("!")
    await visitor.told("token")
    await author.write(done())
    await visitor.over()
    assert visitor.complete
    assert visitor.reader.text == "Hello World!"
    assert visitor.reader.events == ["fetch", "token_recovery", "token", "done"]
    assert [frame.id is None for frame in visitor.reader.frames] == [True, False, False, False]


async def test_earliest_tells_everything(visit: Visit, author: Author) -> None:
    await author.say("a")
    visitor = await visit({"last_event_id": "earliest"}).told("token")
    assert visitor.reader.events == ["queued", "started", "token"]
    assert b"mode=resume pos=earliest\n" in visitor.body


async def test_now_tells_only_what_comes(visit: Visit, author: Author) -> None:
    await author.say("a")
    visitor = await visit({"last_event_id": "now"}).until(lambda visitor: visitor.body)
    await author.say("b")
    await visitor.told("token")
    assert visitor.reader.text == "b"


@pytest.mark.parametrize("way", ["header", "last_event_id", "after"])
async def test_an_id_is_gone_on_from(visit: Visit, author: Author, way: str) -> None:
    seen = str((await author.say("a")).position)
    await author.say("b", "c")
    # The browser's own word is newer than the one in the address, with which the page began.
    asked = ({"last_event_id": "earliest"}, {"last-event-id": seen}) if way == "header" else ({way: seen},)
    visitor = visit(*asked)
    await visitor.told("token")
    assert visitor.reader.events == ["token"]
    assert visitor.reader.text == "bc"
    assert f"mode=resume pos={seen}\n".encode() in visitor.body


async def test_an_id_that_is_not_known_gives_the_whole_text(visit: Visit, author: Author) -> None:
    await author.say("a")
    visitor = await visit({}, {"last-event-id": "abc-3"}).told("token_recovery")
    assert visitor.reader.text == "a"
    assert b"mode=snapshot" in visitor.body


@pytest.mark.parametrize("cursor", ["x", "1", "abc-", "ABC-1", "-1", "abc-1-1", "abc-99999999999999999"])
async def test_a_bad_cursor_is_told(visit: Visit, author: Author, cursor: str) -> None:
    visitor = await visit({"last_event_id": cursor}).over()
    assert (visitor.status, visitor.body.count(b"earliest")) == (400, 1)


async def test_tokens_after_a_number(visit: Visit, author: Author) -> None:
    await author.write(author.progress("write", 50))
    number = (await author.say("a")).position.seq
    await author.say("b")
    await author.say("c")
    visitor = await visit({"last_token_seq": number}).told("token")
    stage, token = visitor.reader.frames
    assert (stage.event, stage.id) == ("write", None)
    assert (token.content["content"], token.id) == ("bc", visitor.reader.last_id)
    await author.say("d")
    await visitor.until(lambda visitor: visitor.reader.text == "bcd")


@pytest.mark.parametrize("number", ["0", "999"])
async def test_a_number_that_is_not_in_this_text_gives_the_whole_text(
    visit: Visit, author: Author, number: str
) -> None:
    await author.say("a")
    visitor = await visit({"last_token_seq": number}).told("token_recovery")
    assert visitor.reader.text == "a"


async def test_a_number_of_another_attempt_gives_the_whole_text(visit: Visit, author: Author, events: Events) -> None:
    number = (await author.say("old")).position.seq
    await by_platform(events, author.job, retrying())
    again = Author(events, author.job, 2)
    await again.start()
    await again.say("new")
    visitor = await visit({"last_token_seq": number}).told("token_recovery")
    assert visitor.reader.text == "new"


async def test_a_number_from_a_log_that_was_lost_gives_the_whole_text(
    visit: Visit, author: Author, events: Events
) -> None:
    number = (await author.say("a", "b")).position.seq
    await events.forget(author.job)
    again = Author(events, author.job, 2)
    await again.start()
    await again.say(*"cdefgh")
    visitor = await visit({"last_token_seq": number}).told("token_recovery")
    assert visitor.reader.text == "cdefgh"


async def test_one_who_keeps_his_text_is_not_told_that_an_attempt_began(visit: Visit, author: Author) -> None:
    number = (await author.say("a")).position.seq
    visitor = visit({"last_token_seq": number})
    await author.say("b")
    await visitor.told("token")
    assert "started" not in visitor.reader.events


@pytest.mark.parametrize("number", ["-1", "1.5", "x", "\u0661"])
async def test_a_number_that_is_none_is_told(visit: Visit, author: Author, number: str) -> None:
    assert (await visit({"last_token_seq": number}).over()).status == 400


async def test_a_job_that_is_over_is_told_with_its_text_and_its_end(visit: Visit, author: Author) -> None:
    await author.say("all of it")
    await author.write(done())
    visitor = await visit().over()
    assert visitor.reader.events == ["token_recovery", "done"]
    assert visitor.complete
    text, end = visitor.reader.frames
    # One who is cut off between the two comes back for the end alone.
    cut_off = await visit({"last_event_id": text.id}).over()
    assert [(frame.event, frame.id) for frame in cut_off.reader.frames] == [("done", end.id)]
    numbered = await visit({"last_token_seq": 2}).over()
    assert (numbered.reader.events, numbered.reader.text) == (["token", "done"], "all of it")


async def test_a_job_that_failed_is_told_by_its_error(visit: Visit, author: Author) -> None:
    visitor = await visit().told("token_recovery")
    await author.write(failed(attempt=1))
    await visitor.over()
    last = visitor.reader.frames[-1]
    assert (last.event, last.content["status"], last.content["error"]) == ("error", "failed", "ValueError")
    assert "traceback" not in last.content


async def test_who_has_seen_the_end_is_told_to_stay_away(visit: Visit, author: Author) -> None:
    await author.write(done())
    seen = (await visit().over()).reader.last_id
    assert seen is not None
    for _ in range(2):
        visitor = await visit({}, {"last-event-id": seen}).over()
        assert (visitor.status, visitor.body) == (204, b"")
    head = await visit({}, {"last-event-id": seen}, method="HEAD").over()
    assert head.status == 204


async def test_a_job_that_nobody_knows_is_not_found(visit: Visit) -> None:
    visitor = await visit().over()
    assert visitor.status == 404


async def test_head_tells_only_the_headers(visit: Visit, author: Author, gateway: Gateway) -> None:
    visitor = await visit(method="HEAD").over()
    assert (visitor.status, visitor.body) == (200, b"")
    assert visitor.headers["content-type"].startswith("text/event-stream")
    assert gateway.metrics.connections == 0


@pytest.mark.parametrize("settings", [SOON], indirect=True)
async def test_silence_is_broken_by_a_keepalive(visit: Visit, author: Author) -> None:
    position = (await author.say("a")).position
    visitor = await visit().told("keepalive")
    keepalive = visitor.reader.frames[-1]
    assert keepalive.id is None
    assert keepalive.content["type"] == "keepalive"
    assert keepalive.content["seq"] == position.seq
    assert isinstance(keepalive.content["timestamp"], float)
    assert visitor.reader.last_id == str(position)


@pytest.mark.parametrize("settings", [SOON], indirect=True)
async def test_a_keepalive_may_be_a_comment(visit: Visit, author: Author) -> None:
    visitor = await visit({"keepalive": "comment"}).until(lambda visitor: "" in visitor.reader.comments)
    assert "keepalive" not in visitor.reader.events


@pytest.mark.parametrize("settings", [SOON], indirect=True)
async def test_one_who_has_left_is_noticed(visit: Visit, author: Author, gateway: Gateway) -> None:
    visitor = await visit().told("token_recovery")
    assert gateway.metrics.connections == 1
    await visitor.leave()
    assert gateway.metrics.connections == 0


@pytest.mark.parametrize("settings", [SOON], indirect=True)
async def test_one_who_has_left_a_busy_stream_is_noticed_too(visit: Visit, author: Author, gateway: Gateway) -> None:
    visitor = await visit().told("token_recovery")

    async def chatter() -> None:
        while gateway.metrics.connections:
            await author.say("a")

    talking = asyncio.create_task(chatter())
    await visitor.leave()
    await talking
    assert gateway.metrics.connections == 0


@pytest.mark.parametrize("settings", [{"gateway_max_wait": 0.5, **SOON}], indirect=True)
async def test_after_the_longest_wait_one_comes_back_if_there_were_events(visit: Visit, author: Author) -> None:
    visitor = await visit().told("token_recovery")
    await author.say("a")
    await visitor.over()
    last = visitor.reader.frames[-1]
    assert (last.event, last.content, last.id) == ("reconnect", {"reason": "max_wait"}, None)
    assert 500 <= visitor.reader.retries[-1] <= 2500
    assert visitor.complete


@pytest.mark.parametrize("settings", [{"gateway_max_wait": 0.5, **SOON}], indirect=True)
async def test_after_the_longest_wait_without_an_event_there_is_an_error(visit: Visit, author: Author) -> None:
    visitor = await visit().over()
    last = visitor.reader.frames[-1]
    timeout = {"type": "error", "error": "timeout", "message": "Max wait exceeded"}
    assert (last.event, last.content, last.id) == ("error", timeout, None)
    assert not visitor.reader.ended


async def test_a_new_attempt_voids_the_text(visit: Visit, author: Author, events: Events) -> None:
    visitor = await visit().told("token_recovery")
    await author.say("old")
    await by_platform(events, author.job, retrying())
    again = Author(events, author.job, 2)
    await again.start()
    await again.say("new")
    await visitor.until(lambda visitor: visitor.reader.text == "new")
    assert visitor.reader.events[-3:] == ["retrying", "started", "token"]


async def test_many_who_watch_get_the_same_bytes(visit: Visit, author: Author) -> None:
    visitors = [await visit().told("token_recovery") for _ in range(20)]
    begun = [len(visitor.body) for visitor in visitors]
    for number in range(10):
        await author.say(f"{number} ")
    await author.write(done())
    for visitor in visitors:
        await visitor.over()
    assert {visitor.reader.text for visitor in visitors} == {"".join(f"{number} " for number in range(10))}
    assert len(set(begun)) == 1


async def test_a_job_that_waits_can_be_watched(visit: Visit, events: Events, job: str) -> None:
    await by_platform(events, job, queued())
    visitor = await visit().told("queued")
    await Author(events, job).start()
    await visitor.told("started")


async def test_ids_are_positions(visit: Visit, author: Author) -> None:
    said = await author.say("a")
    visitor = await visit().told("token_recovery")
    assert Position.parse(visitor.reader.last_id or "") == said.position
