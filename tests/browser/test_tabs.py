"""Tabs of one origin share one connection; whoever has it may go at any time."""

import asyncio

import pytest
from playwright.async_api import BrowserContext

from tests.browser.marks import IN_CHROMIUM
from tests.browser.scribe import PIECES, Scribe, numbered
from tests.browser.services import KEEPALIVE, Site
from tests.browser.tab import PATIENCE, Tab, follow

# No store has a part in it, so one will do.
pytestmark = [*IN_CHROMIUM, pytest.mark.parametrize("site", ["sqlite"], indirect=True)]


async def test_tabs_share_one_stream(context: BrowserContext, site: Site, scribe: Scribe) -> None:
    await scribe.start()
    tabs = [await follow(context, "watch", site.origin, scribe)]
    await scribe.say(*numbered(PIECES))
    await tabs[0].shows(scribe.text)
    tabs += [await follow(context, "watch", site.origin, scribe) for _ in range(2)]
    for tab in tabs:
        await tab.shows(scribe.text)
    await scribe.say(*numbered(PIECES, 100))
    for tab in tabs:
        await tab.shows(scribe.text)
        assert await tab.page.evaluate("[job.state, job.stage]") == ["live", "started"]
    assert [len(tab.requests) for tab in tabs] == [1, 0, 0]
    await scribe.finish()
    for tab in tabs:
        await tab.becomes("ended")
        assert tab.errors + tab.network_errors == []


async def test_tabs_may_come_while_much_is_told(context: BrowserContext, site: Site, scribe: Scribe) -> None:
    async def write() -> None:
        while len(tabs) < 4:
            await scribe.say(*numbered(PIECES * 3, len(scribe.text)))
            # Not faster than a page can show it: one that lags is told the text in one piece.
            await tabs[0].shows(scribe.text)

    await scribe.start()
    tabs = [await follow(context, "watch", site.origin, scribe)]
    async with asyncio.TaskGroup() as group:
        group.create_task(write(), name="scribe")
        while len(tabs) < 4:
            tabs.append(await follow(context, "watch", site.origin, scribe))
    for tab in tabs:
        await tab.shows(scribe.text)
        await told_each_once(tab, scribe)
    assert [len(tab.requests) for tab in tabs] == [1, 0, 0, 0]


async def test_another_tab_takes_over_without_gap_or_repeat(
    context: BrowserContext, site: Site, scribe: Scribe
) -> None:
    first = await follow(context, "watch", site.origin, scribe)
    await first.is_at("queued")
    await scribe.start()
    await scribe.say("Once")
    await first.shows("Once")
    second = await follow(context, "watch", site.origin, scribe)
    third = await follow(context, "watch", site.origin, scribe)
    for tab in (second, third):
        await tab.shows("Once")
    for number, leader in enumerate((first, second)):
        await scribe.say(*numbered(PIECES, 100 * number))
        await third.shows(scribe.text)
        await leader.page.close()
        await scribe.say(*numbered(PIECES, 100 * number + 50))
        await third.shows(scribe.text)
    await scribe.finish()
    await third.becomes("ended")
    assert third.errors + third.network_errors == []
    assert len(third.requests) == 1
    await told_each_once(third, scribe)


async def test_a_tab_that_was_loaded_again_joins_the_others(
    context: BrowserContext, site: Site, scribe: Scribe
) -> None:
    await scribe.start()
    await scribe.say(*numbered(PIECES))
    first, second = [await follow(context, "watch", site.origin, scribe) for _ in range(2)]
    for number in range(100, 500, 100):
        for tab in (first, second):
            await tab.shows(scribe.text)
        await (first if number % 200 else second).page.reload()
        await scribe.say(*numbered(PIECES, number))
    for tab in (first, second):
        await tab.shows(scribe.text)
    await scribe.finish()
    for tab in (first, second):
        await tab.becomes("ended")
        assert tab.errors == []


async def test_a_tab_that_hangs_does_not_hold_up_the_others(
    context: BrowserContext, site: Site, scribe: Scribe
) -> None:
    # The gateway speaks more often than that, and a machine at its limits is no reason to think that it is gone.
    silence = 2 * KEEPALIVE
    hangs, waits = [await follow(context, "watch", site.origin, scribe, keepalive=silence) for _ in range(2)]
    await scribe.start()
    await scribe.say("before")
    for tab in (hangs, waits):
        await tab.shows(scribe.text)
    debugger = await context.new_cdp_session(hangs.page)
    await debugger.send("Debugger.enable")
    await debugger.send("Debugger.pause")
    await scribe.say(", meanwhile")
    await waits.shows(scribe.text)
    comes = await follow(context, "watch", site.origin, scribe)
    await comes.shows(scribe.text)
    # It is not to have a connection any more.
    async with hangs.page.expect_event("requestfailed", lambda request: request in hangs.requests, timeout=PATIENCE):
        await debugger.send("Debugger.disable")
    await scribe.say(", after")
    for tab in (hangs, waits, comes):
        await tab.shows(scribe.text)
    await scribe.finish()
    for tab in (hangs, waits, comes):
        await tab.becomes("ended")
        assert tab.errors + tab.network_errors == []
    assert [len(tab.requests) for tab in (hangs, waits, comes)] == [1, 1, 0]


async def test_tabs_that_do_not_share_have_a_stream_each(context: BrowserContext, site: Site, scribe: Scribe) -> None:
    tabs = [await follow(context, "watch", site.origin, scribe, share=False) for _ in range(2)]
    await scribe.start()
    await scribe.say(*PIECES)
    for tab in tabs:
        await tab.shows(scribe.text)
        assert len(tab.requests) == 1


async def told_each_once(tab: Tab, scribe: Scribe) -> None:
    """One who came in the middle got what stands for the beginning, and then each event once."""
    events = await tab.told()
    ids = [event["id"] for event in events if event["id"] is not None]
    assert len(set(ids)) == len(ids)
    assert [event["id"] for event in events if event.get("gap")] == []
    summary = next(event for event in events if event["event"] == "token_recovery")
    tokens = [event["data"]["content"] for event in events if event["event"] == "token"]
    assert summary["data"]["accumulated"] + "".join(tokens) == scribe.text
