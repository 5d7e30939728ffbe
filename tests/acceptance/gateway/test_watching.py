"""Watch a job live, drop off, come back, miss nothing."""

import asyncio
import signal

import pytest

from goatherd.testing.suites.event_store import Author, by_platform, done, failed, retrying
from tests.acceptance.gateway.desk import Desk

WORDS = [f"{number} " for number in range(60)]


async def test_a_page_watches_a_job_to_its_end_and_stays_away(desk: Desk) -> None:
    desk.start()
    author = await desk.job()
    async with desk.watching(author.job) as page:
        await page.told("token_recovery")
        for word in WORDS:
            await author.say(word)
        await author.write(done())
        reader = await page.over()
    assert reader.text == "".join(WORDS)
    assert reader.frames[-1].content["result"] == {"answer": 42}
    back = await desk.get(author.job, last_event_id=reader.last_id)
    assert (back.status_code, back.content) == (204, b"")
    late = await desk.get(author.job)
    assert late.text.count("event: token_recovery") == 1
    assert late.text.count("event: done") == 1


async def test_a_page_that_drops_off_comes_back_and_misses_nothing(desk: Desk) -> None:
    desk.start()
    author = await desk.job()
    text, last_id, counts = "", None, []
    for number, word in enumerate(WORDS):
        await author.say(word)
        if number % 10 == 0:
            async with desk.watching(author.job, last_id) as page:
                reader = await page.until(lambda reader: reader.ids)
            text = reader.text if "token_recovery" in reader.events else text + reader.text
            last_id = reader.last_id
            counts.append(reader.events.count("token_recovery"))
    await author.write(done())
    async with desk.watching(author.job, last_id) as page:
        text += (await page.over()).text
    assert text == "".join(WORDS)
    assert counts == [1, 0, 0, 0, 0, 0]


async def test_a_gateway_is_killed_and_another_goes_on(desk: Desk) -> None:
    desk.start()
    author = await desk.job()
    async with desk.watching(author.job) as page:
        for word in WORDS[:20]:
            await author.say(word)
        reader = await page.until(lambda reader: reader.text == "".join(WORDS[:20]))
        desk.gateway.tell(signal.SIGKILL)
        desk.gateway.end()
    for word in WORDS[20:40]:
        await author.say(word)
    desk.start()
    async with desk.watching(author.job, reader.last_id) as page:
        for word in WORDS[40:]:
            await author.say(word)
        await author.write(done())
        rest = await page.over()
    assert "token_recovery" not in rest.events
    assert reader.text + rest.text == "".join(WORDS)


@pytest.mark.parametrize("way", ["last_event_id", "last_token_seq"])
async def test_other_cursors_go_on_as_well(desk: Desk, way: str) -> None:
    desk.start()
    author = await desk.job()
    said = await author.say("a")
    await author.say("b")
    cursor = {"last_event_id": str(said.position), "last_token_seq": str(said.position.seq)}[way]
    async with desk.watching(author.job, None, **{way: cursor}) as page:
        await page.told("token")
        await author.say("c")
        assert (await page.until(lambda reader: reader.text == "bc")).events.count("token") == 2


async def test_a_second_attempt_begins_the_text_anew(desk: Desk) -> None:
    desk.start()
    author = await desk.job()
    async with desk.watching(author.job) as page:
        await author.say("of the first attempt")
        await page.until(lambda reader: reader.text)
        await by_platform(desk.events, author.job, retrying())
        again = Author(desk.events, author.job, 2)
        await again.start()
        await again.say("of the second")
        await by_platform(desk.events, author.job, failed(reason="cancelled"))
        reader = await page.over()
    assert reader.text == "of the second"
    assert reader.events[-4:] == ["retrying", "started", "token", "error"]
    assert reader.frames[-1].content["status"] == "cancelled"


async def test_polls_tell_the_same(desk: Desk) -> None:
    desk.start()
    author = await desk.job()
    told = (await desk.get(author.job, wait=20)).json()
    text = ""
    for word in WORDS[:10]:
        asking = asyncio.create_task(desk.get(author.job, wait=20, after=told["id"]))
        await author.say(word)
        told = (await asking).json()
        text += "".join(event["data"]["content"] for event in told["events"])
    await author.write(done())
    told = (await desk.get(author.job, wait=20, after=told["id"])).json()
    assert (text, told["closed"]) == ("".join(WORDS[:10]), True)
    assert [event["event"] for event in told["events"]] == ["done"]


async def test_silence_and_the_longest_wait(desk: Desk) -> None:
    desk.start(GOATHERD_GATEWAY_MAX_WAIT="2")
    author = await desk.job()
    async with desk.watching(author.job) as silent:
        reader = await silent.over()
    assert "keepalive" in reader.events
    assert (reader.frames[-1].event, reader.frames[-1].content["error"]) == ("error", "timeout")
    async with desk.watching(author.job) as page:
        await page.told("token_recovery")
        await author.say("a")
        reader = await page.over()
    assert reader.frames[-1].content == {"reason": "max_wait"}


async def test_who_comes_back_far_behind_gets_it_in_one_piece(desk: Desk) -> None:
    desk.start()
    author = await desk.job()
    first = await author.say("0 ")
    for number in range(1, 2001, 100):
        await author.say(*(f"{word} " for word in range(number, number + 100)))
    async with desk.watching(author.job, str(first.position)) as page:
        reader = await page.told("token_recovery")
        assert reader.text == "".join(f"{word} " for word in range(2001))
        await author.say("live")
        await page.told("token")
    assert reader.events == ["started", "token_recovery", "token"]
