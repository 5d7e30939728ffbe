"""The network and the gateway go away and come back; the text on the page is the text that was written."""

from playwright.async_api import BrowserContext

from scripts.servers.proxy import Proxy
from tests.browser.marks import IN_CHROMIUM
from tests.browser.scribe import PIECES, Scribe, numbered
from tests.browser.services import KEEPALIVE, Site
from tests.browser.tab import assert_told_each_once, follow

pytestmark = IN_CHROMIUM

#: When a page has noticed that it has no connection.
CUT_OFF = {"plain": "source.readyState === EventSource.CONNECTING", "watch": "job.state === 'waiting'"}


async def test_a_gateway_that_was_killed_and_is_back_goes_on_where_it_was(
    context: BrowserContext, site: Site, scribe: Scribe, kind: str
) -> None:
    tab = await follow(context, kind, site.origin, scribe)
    await tab.is_at("queued")
    await scribe.start()
    await scribe.say(*numbered(PIECES))
    await tab.shows(scribe.text)
    site.kill()
    await scribe.say(*numbered(PIECES, 100))
    await tab.page.wait_for_function(CUT_OFF[kind])
    site.start()
    await scribe.say(*numbered(PIECES, 200))
    await tab.shows(scribe.text)
    await scribe.say("The end.")
    await scribe.finish()
    await tab.shows(scribe.text)
    assert tab.errors == []
    await assert_told_each_once(tab, scribe)


async def test_a_page_that_was_offline_catches_up(
    context: BrowserContext, site: Site, scribe: Scribe, kind: str
) -> None:
    async with Proxy(site.port) as network:
        tab = await follow(context, kind, f"http://127.0.0.1:{network.port}", scribe)
        await tab.is_at("queued")
        await scribe.start()
        await scribe.say(*numbered(PIECES))
        await tab.shows(scribe.text)
        # The browser lets no request out, but the connections that it has would live on.
        await context.set_offline(True)
        network.cut()
        await scribe.say(*numbered(PIECES, 100))
        await tab.page.wait_for_function(CUT_OFF[kind])
        await context.set_offline(False)
        await tab.shows(scribe.text)
        await scribe.say(*numbered(PIECES, 200))
        await scribe.finish()
        await tab.shows(scribe.text)
        assert tab.errors == []
        await assert_told_each_once(tab, scribe)


async def test_a_gateway_that_hangs_is_noticed(context: BrowserContext, site: Site, scribe: Scribe) -> None:
    """goatherd.js hears no sign of life and comes back; an EventSource would wait for ever."""
    tab = await follow(context, "watch", site.origin, scribe, keepalive=KEEPALIVE)
    await tab.is_at("queued")
    await scribe.start()
    await scribe.say("before")
    await tab.shows(scribe.text)
    site.freeze()
    try:
        await tab.becomes("waiting")
        await scribe.say(", meanwhile")
    finally:
        site.thaw()
    await tab.shows(scribe.text)
    await scribe.finish()
    await tab.becomes("ended")
    assert tab.errors == []


async def test_an_attempt_that_ended_during_an_outage_leaves_no_text(
    context: BrowserContext, site: Site, scribe: Scribe, kind: str
) -> None:
    tab = await follow(context, kind, site.origin, scribe)
    await tab.is_at("queued")
    await scribe.start()
    await scribe.say(*numbered(PIECES))
    await tab.shows(scribe.text)
    site.kill()
    await scribe.retry()
    await scribe.start()
    await scribe.say(*numbered(PIECES, 100))
    site.start()
    await tab.shows(scribe.text)
    await scribe.finish()
    assert tab.errors == []


async def test_a_page_that_is_far_behind_gets_the_text_in_one_piece(
    context: BrowserContext, site: Site, scribe: Scribe, kind: str
) -> None:
    tab = await follow(context, kind, site.origin, scribe)
    await tab.is_at("queued")
    await scribe.start()
    await scribe.say(*numbered(PIECES))
    await tab.shows(scribe.text)
    site.kill()
    await scribe.say_together(numbered(PIECES * 200, 100))
    site.start()
    await tab.shows(scribe.text)
    await scribe.say(*numbered(PIECES, 2000))
    await scribe.finish()
    await tab.shows(scribe.text)
    assert tab.errors == []
    told = [event for event in await tab.told() if event["event"] == "token_recovery"]
    assert len(told) == 2  # when it came, and when it came back
    if kind == "watch":
        assert [event.get("gap", False) for event in told] == [False, True]


async def test_a_last_attempt_that_said_nothing_leaves_no_text(
    context: BrowserContext, site: Site, scribe: Scribe, kind: str
) -> None:
    tab = await follow(context, kind, site.origin, scribe)
    await tab.is_at("queued")
    await scribe.start()
    await scribe.say_together(numbered(PIECES * 200))
    await tab.shows(scribe.text)
    site.kill()
    await scribe.say_together(numbered(PIECES * 200, 5000))
    await scribe.retry()
    await scribe.start()
    await scribe.finish()
    site.start()
    await tab.is_at("done")
    await tab.shows("")
    assert tab.errors == []
