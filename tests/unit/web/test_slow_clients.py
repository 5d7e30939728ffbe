"""Clients that read slowly, or not at all: never a hole, and little memory."""

import asyncio

import pytest

from goatherd.testing.suites.event_store import Author, done
from goatherd.web import crowd
from goatherd.web.gateway import Gateway
from goatherd.web.stream import PIECE
from tests.unit.web.conftest import Visit

FEW = {"gateway_buffer": 5, "gateway_keepalive": 0.2}


@pytest.mark.parametrize("settings", [FEW], indirect=True)
async def test_one_who_lags_a_little_is_served_from_the_log(visit: Visit, author: Author, gateway: Gateway) -> None:
    slow = await visit().told("token_recovery")
    slow.reads.clear()
    for number in range(50):
        await author.say(f"{number} ")
    slow.reads.set()
    await author.write(done())
    await slow.over()
    assert slow.reader.text == "".join(f"{number} " for number in range(50))
    assert slow.reader.events.count("token_recovery") == 1
    assert gateway.metrics.resyncs["slow"] == 0


@pytest.mark.parametrize("settings", [FEW], indirect=True)
async def test_one_who_lags_far_gets_the_text_at_once_and_never_a_hole(
    visit: Visit, author: Author, gateway: Gateway
) -> None:
    slow, fast = await visit().told("token_recovery"), await visit().told("token_recovery")
    # One piece is on its way to the slow one when it stops to read.
    slow.reads.clear()
    for number in range(0, 1500, 50):
        await author.say(*(f"{word} " for word in range(number, number + 50)))
    await fast.until(lambda visitor: visitor.reader.text.endswith("1499 "))
    slow.reads.set()
    await author.write(done())
    await slow.over()
    await fast.over()
    assert slow.reader.text == fast.reader.text == "".join(f"{word} " for word in range(1500))
    assert slow.reader.events.count("token_recovery") == 2
    assert slow.reader.events[-1] == "done"
    assert gateway.metrics.resyncs["slow"] == 1
    assert gateway.metrics.dropped == 0


@pytest.mark.parametrize("settings", [FEW], indirect=True)
async def test_what_is_long_is_written_in_pieces(visit: Visit, author: Author) -> None:
    await author.say("x" * 500_000)
    visitor = await visit().until(lambda visitor: len(visitor.reader.text) == 500_000)
    assert max(visitor.pieces) <= PIECE


@pytest.mark.parametrize("settings", [{"gateway_keepalive": 0.2}], indirect=True)
async def test_one_who_reads_nothing_is_cut_off_in_the_end(
    visit: Visit, author: Author, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crowd, "SEND_DEADLINE", 0.5)
    stalled, other = await visit().told("token_recovery"), await visit().told("token_recovery")
    stalled.reads.clear()
    await author.say("a")
    await stalled.over()
    assert not stalled.complete
    assert not stalled.task.cancelled()
    assert gateway.metrics.connections == 1
    await author.say("b")
    await other.until(lambda visitor: visitor.reader.text == "ab")


async def test_a_server_that_stops_the_work_is_obeyed(visit: Visit, author: Author, gateway: Gateway) -> None:
    visitor = await visit().told("token_recovery")
    visitor.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await visitor.over()
    assert gateway.metrics.connections == 0


@pytest.mark.parametrize("settings", [FEW], indirect=True)
async def test_a_server_that_raises_when_the_client_is_gone_is_understood(
    gateway: Gateway, author: Author, token: str
) -> None:
    written = asyncio.Event()

    async def receive() -> dict[str, str]:
        await asyncio.Event().wait()
        return {}

    async def send(message: object) -> None:
        if written.is_set():
            raise BrokenPipeError
        if "'http.response.body'" in repr(message):
            written.set()

    scope = {"type": "http", "method": "GET", "path": f"/shop/{author.job}/events", "headers": []}
    visiting = asyncio.create_task(gateway({**scope, "query_string": f"token={token}".encode()}, receive, send))
    await asyncio.wait_for(written.wait(), 10)
    await author.say("a")
    await asyncio.wait_for(visiting, 10)
    assert gateway.metrics.connections == 0
