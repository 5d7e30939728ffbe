"""`goatherd gateway` by itself, as the command line runs it."""

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import BrowserContext, Route

from tests.browser.marks import IN_CHROMIUM
from tests.browser.scribe import PIECES, Scribe, numbered, opened_events
from tests.browser.services import Gateway
from tests.browser.tab import assert_told_each_once, follow

pytestmark = IN_CHROMIUM

PAGES = Path(__file__).parent / "pages"


@pytest_asyncio.fixture(loop_scope="session", params=[{}])
async def gateway(request: pytest.FixtureRequest, tmp_path: Path, context: BrowserContext) -> AsyncIterator[Gateway]:
    """It may be given settings of its own."""
    with Gateway(tmp_path, f"sqlite:///{tmp_path}/events.db", request.param) as started:
        # It serves no pages; these seem to come from it, as they would behind a proxy.
        await context.route(f"{started.origin}/pages/**", serve_page)
        yield started


async def serve_page(route: Route) -> None:
    await route.fulfill(path=PAGES / Path(urlsplit(route.request.url).path).name)


@pytest_asyncio.fixture(loop_scope="session")
async def scribe(gateway: Gateway) -> AsyncIterator[Scribe]:
    async with opened_events(gateway.events_url, "tales") as events:
        scribe = Scribe(events)
        await scribe.queue()
        yield scribe


@pytest.mark.parametrize("ends", ["kill", "stop"])
async def test_a_page_outlives_its_gateway(
    context: BrowserContext, gateway: Gateway, scribe: Scribe, kind: str, ends: str
) -> None:
    tab = await follow(context, kind, gateway.origin, scribe)
    await tab.is_at("queued")
    await scribe.start()
    await scribe.say(*numbered(PIECES))
    await tab.shows(scribe.text)
    # A gateway that is told to stop sends its clients away first.
    getattr(gateway, ends)()
    await scribe.say(*numbered(PIECES, 100))
    gateway.start()
    await tab.shows(scribe.text)
    await scribe.say("The end.")
    await scribe.finish()
    await tab.shows(scribe.text)
    assert tab.errors == []
    await assert_told_each_once(tab, scribe)


@pytest.mark.parametrize("gateway", [{"GOATHERD_GATEWAY_MAX_WAIT": "0.5"}], indirect=True)
async def test_a_page_comes_back_when_its_time_is_over(
    context: BrowserContext, gateway: Gateway, scribe: Scribe, kind: str
) -> None:
    tab = await follow(context, kind, gateway.origin, scribe)
    await tab.is_at("queued")
    await scribe.start()
    for number in range(0, 300, 100):
        requests = len(tab.requests)
        await scribe.say(*numbered(PIECES, number))
        await tab.shows(scribe.text)
        await tab.comes_back(requests)
    await scribe.finish()
    await (tab.becomes("ended") if kind == "watch" else tab.is_cut_off())
    await tab.shows(scribe.text)
    assert (tab.errors, tab.network_errors) == ([], [])
    await assert_told_each_once(tab, scribe)
