"""Polls say the same as streams."""

import json
from typing import Any

import pytest

from goatherd.testing.suites.event_store import Author, done
from goatherd.web.gateway import Gateway
from tests.unit.web.conftest import Visit
from tests.unit.web.reader import Reader


def answer_in(body: bytes) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(body)
    assert set(told) == {"events", "id", "closed"}
    return told


async def test_a_poll_answers_at_once_if_there_is_anything(visit: Visit, author: Author) -> None:
    said = await author.say("a")
    visitor = await visit({"wait": 25}).over()
    assert visitor.status == 200
    assert visitor.headers["content-type"] == "application/json; charset=utf-8"
    told = answer_in(visitor.body)
    assert [event["event"] for event in told["events"]] == ["started", "token_recovery"]
    assert [event["id"] for event in told["events"]] == [None, str(said.position)]
    assert (told["id"], told["closed"]) == (str(said.position), False)


async def test_a_poll_waits_for_events(visit: Visit, author: Author) -> None:
    said = await author.say("a")
    polling = visit({"wait": 25, "after": said.position})
    await author.say("b")
    told = answer_in((await polling.over()).body)
    assert [event["data"]["content"] for event in told["events"]] == ["b"]


async def test_a_poll_waits_no_longer_than_it_should(visit: Visit, author: Author, gateway: Gateway) -> None:
    said = await author.say("a")
    told = answer_in((await visit({"wait": 0.05, "after": said.position}).over()).body)
    assert told == {"events": [], "id": str(said.position), "closed": False}
    assert gateway.metrics.connections == 0


async def test_after_the_end_a_poll_says_so(visit: Visit, author: Author) -> None:
    end = str((await author.write(done())).position)
    assert answer_in((await visit({"wait": 25, "after": end}).over()).body) == {
        "events": [],
        "id": end,
        "closed": True,
    }


async def test_polls_tell_the_same_as_a_stream(visit: Visit, author: Author) -> None:
    await author.say("before ")
    stream = await visit().told("token_recovery")
    polled, query = [], {"wait": "25"}
    for number in range(30):
        await author.write(author.progress(f"stage_{number}", number))
        await author.say(f"{number} ")
        told = answer_in((await visit(query).over()).body)
        polled += told["events"]
        query["after"] = told["id"]
    await author.write(done())
    while not told["closed"]:
        told = answer_in((await visit(query).over()).body)
        polled += told["events"]
        query["after"] = told["id"]
    await stream.over()
    reader = Reader()
    for event in polled:
        place = f"id: {event['id']}\n" if event["id"] else ""
        reader.feed(f"{place}event: {event['event']}\ndata: {json.dumps(event['data'])}\n\n".encode())
    assert reader.text == stream.reader.text
    assert reader.frames[-1] == stream.reader.frames[-1]
    stages = [frame for frame in reader.frames if frame.event.startswith("stage_")][1:]
    assert [frame for frame in stream.reader.frames if frame in stages] == stages


@pytest.mark.parametrize("wait", ["x", "-1", "nan"])
async def test_a_wait_that_is_none_is_told(visit: Visit, author: Author, wait: str) -> None:
    assert (await visit({"wait": wait}).over()).status == 400


async def test_a_poll_for_an_unknown_job_is_not_found(visit: Visit) -> None:
    assert (await visit({"wait": 25}).over()).status == 404
