"""The AI SDK's own chat reads our streams: through outages, reloads and attempts that fail."""

from collections.abc import AsyncIterator, Iterator

import pytest

from scripts.servers.proxy import Proxy
from tests.browser.scribe import PIECES, Scribe, numbered, opened_events
from tests.browser.services import Gateway, token_for
from tests.interop.ai_sdk.page import Page, opened

pytestmark = [pytest.mark.servers("node"), pytest.mark.xdist_group("ai sdk")]


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    folder = tmp_path_factory.mktemp("gateway")
    with Gateway(folder, f"sqlite:///{folder}/events.db") as started:
        yield started


@pytest.fixture
async def network(gateway: Gateway) -> AsyncIterator[Proxy]:
    async with Proxy(gateway.port) as network:
        yield network


@pytest.fixture
async def scribe(gateway: Gateway) -> AsyncIterator[Scribe]:
    async with opened_events(gateway.events_url, "tales") as events:
        scribe = Scribe(events)
        await scribe.queue()
        yield scribe


def address(network: Proxy, scribe: Scribe) -> str:
    return f"http://127.0.0.1:{network.port}/api/v1/tales/{scribe.job_id}/events?format=ai-sdk"


def is_whole(page: Page, scribe: Scribe) -> None:
    """One message, with the id of the job and its text in one part, which is complete."""
    [answer] = page.answers
    assert answer["id"] == scribe.job_id
    assert [(part["text"], part["state"]) for part in answer["parts"] if part["type"] == "text"] == [
        (scribe.text, "done")
    ]


async def test_an_answer_from_its_beginning_to_its_end(network: Proxy, scribe: Scribe) -> None:
    async with opened("send", address(network, scribe), token_for(scribe.job_id)) as page:
        await page.until(lambda page: [stage["stage"] for stage in page.stages] == ["queued"])
        await scribe.start()
        await scribe.progress("intent", 10)
        await scribe.progress("intent", 30)
        await page.until(
            lambda page: {"stage": "intent", "status": "running", "progress": 30, "fields": {}} in page.stages
        )
        assert [stage["stage"] for stage in page.stages] == ["queued", "started", "intent"]
        await scribe.say(*numbered(PIECES))
        await page.shows(scribe.text)
        await scribe.say("The end.")
        await scribe.finish()
        await page.over()
    is_whole(page, scribe)
    assert page.status == "ready"


async def test_a_connection_that_is_cut_in_the_middle_is_resumed(network: Proxy, scribe: Scribe) -> None:
    async with opened("send", address(network, scribe), token_for(scribe.job_id)) as page:
        await scribe.start()
        for round in range(3):
            await scribe.say(*numbered(PIECES, 100 * round))
            await page.shows(scribe.text)
            network.cut()
        await scribe.say("The end.")
        await page.shows(scribe.text)
        await scribe.finish()
        await page.over()
    is_whole(page, scribe)
    assert [told for told in page.told if "trouble" in told]
    assert page.status == "ready"


async def test_a_gateway_that_was_killed_and_is_back_is_resumed_from(
    gateway: Gateway, network: Proxy, scribe: Scribe
) -> None:
    async with opened("send", address(network, scribe), token_for(scribe.job_id)) as page:
        await scribe.start()
        await scribe.say(*numbered(PIECES))
        await page.shows(scribe.text)
        gateway.kill()
        await scribe.say(*numbered(PIECES, 100))
        gateway.start()
        await page.shows(scribe.text)
        await scribe.finish()
        await page.over()
    is_whole(page, scribe)


async def test_of_an_attempt_that_failed_nothing_is_left(network: Proxy, scribe: Scribe) -> None:
    async with opened("send", address(network, scribe), token_for(scribe.job_id)) as page:
        await scribe.start()
        await scribe.progress("intent", 10)
        await scribe.say("The first", " attempt")
        await page.shows("The first attempt")
        await scribe.retry()
        await scribe.start()
        await page.shows("")
        await scribe.progress("answer", 50)
        await scribe.say("The second one.")
        await scribe.finish()
        await page.over()
    is_whole(page, scribe)
    assert [stage["stage"] for stage in page.stages] == ["started", "answer"]
    assert not [text for text in page.texts if "first" in text and "second" in text]


async def test_of_an_attempt_that_failed_during_an_outage_nothing_is_left(network: Proxy, scribe: Scribe) -> None:
    async with opened("send", address(network, scribe), token_for(scribe.job_id)) as page:
        await scribe.start()
        await scribe.say("The first attempt")
        await page.shows("The first attempt")
        network.refuse()
        network.cut()
        await scribe.retry()
        await scribe.start()
        await scribe.say("The second one.")
        network.refuse(refusing=False)
        await page.shows("The second one.")
        await scribe.finish()
        await page.over()
    is_whole(page, scribe)
    assert not [text for text in page.texts if "first" in text and "second" in text]


async def test_a_page_that_is_loaded_in_the_middle_gets_the_whole_text(network: Proxy, scribe: Scribe) -> None:
    await scribe.start()
    await scribe.progress("answer", 50)
    await scribe.say(*numbered(PIECES))
    async with opened("resume", address(network, scribe), token_for(scribe.job_id)) as page:
        await page.shows(scribe.text)
        # In one piece, and not as it had come.
        assert {text for text in page.texts if text} == {scribe.text}
        await scribe.say("The end.")
        await scribe.finish()
        await page.over()
    is_whole(page, scribe)


async def test_a_page_that_is_loaded_afterwards_has_nothing_to_resume(network: Proxy, scribe: Scribe) -> None:
    await scribe.start()
    await scribe.say("Too late.")
    await scribe.finish()
    async with opened("resume", address(network, scribe), token_for(scribe.job_id)) as page:
        await page.over()
    assert (page.status, page.answers) == ("ready", [])


async def test_an_answer_that_was_there_before_the_page_is_shown(network: Proxy, scribe: Scribe) -> None:
    await scribe.start()
    await scribe.say(*numbered(PIECES))
    await scribe.finish()
    async with opened("send", address(network, scribe), token_for(scribe.job_id)) as page:
        await page.over()
    is_whole(page, scribe)


async def test_a_job_that_fails_is_an_error_of_the_chat(network: Proxy, scribe: Scribe) -> None:
    async with opened("send", address(network, scribe), token_for(scribe.job_id)) as page:
        await scribe.start()
        await scribe.say("There are")
        await page.shows("There are")
        await scribe.fail()
        await page.over()
    assert page.status == "error"
    assert {"trouble": "no goats"} in page.told
    assert page.text == "There are"


async def test_a_client_that_keeps_the_last_id_resumes_below_the_parser(network: Proxy, scribe: Scribe) -> None:
    async with opened("resumeBelow", address(network, scribe), token_for(scribe.job_id)) as page:
        await scribe.start()
        for round in range(3):
            await scribe.say(*numbered(PIECES, 100 * round))
            await page.shows(scribe.text)
            network.cut()
        await scribe.say("old")
        await scribe.retry()
        await scribe.start()
        await scribe.say(*numbered(PIECES, 300))
        await page.shows(scribe.text)
        network.cut()
        await scribe.finish()
        await page.over()
    is_whole(page, scribe)
    assert len([told for told in page.told if told.get("connected") == 200]) >= 4
