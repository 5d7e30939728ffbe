"""One Chromium and one web service for all stories of a run; each story has a profile and a job of its own."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, async_playwright

from scripts.servers.addresses import chromium, redis_url
from tests.browser.scribe import Scribe, opened_events
from tests.browser.services import Site


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        # Root, as whom tests run in containers, may not have the sandbox; the pages are our own.
        opened = await playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield opened
        await opened.close()


@pytest_asyncio.fixture(loop_scope="session")
async def context(browser: Browser) -> AsyncIterator[BrowserContext]:
    async with await browser.new_context() as opened:
        yield opened


@pytest.fixture(scope="session", params=["sqlite", pytest.param("redis", marks=pytest.mark.servers("redis"))])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    url = f"sqlite:///{folder}/events.db" if request.param == "sqlite" else redis_url()
    with Site(folder, url) as started:
        yield started


@pytest_asyncio.fixture(loop_scope="session")
async def scribe(site: Site) -> AsyncIterator[Scribe]:
    """The worker of a job that has been accepted."""
    async with opened_events(site.events_url, "tales") as events:
        scribe = Scribe(events)
        await scribe.queue()
        yield scribe


@pytest.fixture(params=["plain", "watch"])
def kind(request: pytest.FixtureRequest) -> str:
    """The page: a plain EventSource, and goatherd.js."""
    return str(request.param)
