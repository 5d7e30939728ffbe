"""The text on a page is the text that was written, character by character."""

from playwright.async_api import BrowserContext, Request

from tests.browser.marks import IN_CHROMIUM
from tests.browser.scribe import PIECES, Scribe, numbered
from tests.browser.services import Site
from tests.browser.tab import Tab, follow

pytestmark = IN_CHROMIUM


async def test_a_page_that_was_there_first_shows_every_character(
    context: BrowserContext, site: Site, scribe: Scribe, kind: str
) -> None:
    tab = await follow(context, kind, site.origin, scribe)
    await tab.is_at("queued")
    await scribe.start()
    for piece in numbered(PIECES * 3):
        await scribe.say(piece)
    await tab.shows(scribe.text)
    await scribe.say("The end.")
    await scribe.finish({"goats": 7})
    await tab.shows(scribe.text)
    assert_well(tab)


async def test_a_page_that_comes_late_shows_every_character(
    context: BrowserContext, site: Site, scribe: Scribe, kind: str
) -> None:
    await scribe.start()
    await scribe.say(*numbered(PIECES))
    tab = await follow(context, kind, site.origin, scribe)
    await tab.shows(scribe.text)
    await scribe.say(*numbered(PIECES, 100))
    await tab.shows(scribe.text)
    assert_well(tab)


async def test_a_page_that_comes_after_the_end_shows_every_character(
    context: BrowserContext, site: Site, scribe: Scribe, kind: str
) -> None:
    await scribe.start()
    await scribe.say(*numbered(PIECES))
    await scribe.finish()
    tab = await follow(context, kind, site.origin, scribe)
    await tab.shows(scribe.text)
    await ended(tab, kind)
    assert_well(tab)


async def test_a_page_may_be_loaded_again_in_the_middle(
    context: BrowserContext, site: Site, scribe: Scribe, kind: str
) -> None:
    tab = await follow(context, kind, site.origin, scribe)
    await tab.is_at("queued")
    await scribe.start()
    for number in range(0, 400, 100):
        await scribe.say(*numbered(PIECES, number))
        await tab.shows(scribe.text)
        await tab.page.reload()
        await scribe.say(*numbered(PIECES, number + 50))
    await tab.shows(scribe.text)
    await scribe.finish()
    await ended(tab, kind)
    await tab.shows(scribe.text)
    assert_well(tab)


async def test_a_second_attempt_begins_the_text_anew(
    context: BrowserContext, site: Site, scribe: Scribe, kind: str
) -> None:
    tab = await follow(context, kind, site.origin, scribe)
    await tab.is_at("queued")
    await scribe.start()
    await scribe.say(*numbered(PIECES))
    await tab.shows(scribe.text)
    await scribe.retry()
    await scribe.start()
    await tab.shows("")
    await scribe.say("Better: ", *numbered(PIECES, 100))
    await tab.shows(scribe.text)
    await scribe.finish()
    await ended(tab, kind)
    await tab.shows(scribe.text)
    assert_well(tab)


async def test_goatherd_js_asks_once_and_no_more_after_the_end(
    context: BrowserContext, site: Site, scribe: Scribe
) -> None:
    tab = await follow(context, "watch", site.origin, scribe)
    await tab.is_at("queued")
    await scribe.start()
    await scribe.progress("reading", 40)
    await scribe.say(*PIECES)
    await scribe.finish({"goats": 7})
    await tab.becomes("ended")
    assert len(tab.requests) == 1
    assert await tab.page.evaluate("[job.stage, job.last.data.result, job.error]") == ["done", {"goats": 7}, None]
    names = [event["event"] for event in await tab.told() if event["event"] != "token"]
    assert [name for name in names if name != "token_recovery"] == ["queued", "started", "reading", "done"]
    assert_well(tab)


async def test_an_eventsource_is_told_once_that_there_is_no_more(
    context: BrowserContext, site: Site, scribe: Scribe
) -> None:
    """It comes back by itself after the end, is answered 204, and stays away."""
    tab = await follow(context, "plain", site.origin, scribe)
    await tab.is_at("queued")
    await scribe.start()
    await scribe.say(*PIECES)
    await scribe.finish()
    await tab.is_cut_off()
    await tab.shows(scribe.text)
    assert [await status(request) for request in tab.requests] == [200, 204]
    assert [event["event"] for event in await tab.told()][-1] == "done"
    assert tab.errors == []


async def test_a_job_that_failed_has_ended_and_is_no_error_of_the_stream(
    context: BrowserContext, site: Site, scribe: Scribe
) -> None:
    tab = await follow(context, "watch", site.origin, scribe)
    await tab.is_at("queued")
    await scribe.start()
    await scribe.say("Half of")
    await scribe.fail()
    await tab.becomes("ended")
    await tab.shows("Half of")
    assert await tab.page.evaluate("[job.last.event, job.last.data.error, job.last.data.message, job.error]") == [
        "error", "ValueError", "no goats", None,
    ]  # fmt: skip
    assert len(tab.requests) == 1
    assert_well(tab)


async def ended(tab: Tab, kind: str) -> None:
    await (tab.becomes("ended") if kind == "watch" else tab.is_cut_off())


async def status(request: Request) -> int:
    response = await request.response()
    assert response is not None
    return response.status


def assert_well(tab: Tab) -> None:
    assert (tab.errors, tab.network_errors) == ([], [])
