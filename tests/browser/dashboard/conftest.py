"""One kiosk for all stories on a stack, and a tab for each story, in which nothing may go wrong."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import APIRequestContext, Browser, BrowserContext

from tests.browser.dashboard.gate import Gate
from tests.browser.dashboard.premises import Premises, premises_on
from tests.browser.dashboard.site import Watched, signed_in

STACKS = ["sqlite", pytest.param("servers", marks=pytest.mark.servers("rabbitmq", "redis", "postgres"))]


@pytest_asyncio.fixture(scope="package", loop_scope="session")
async def gate() -> AsyncIterator[Gate]:
    async with Gate() as opened:
        yield opened


@pytest_asyncio.fixture(scope="package", loop_scope="session", params=STACKS)
async def kiosk(
    request: pytest.FixtureRequest, gate: Gate, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Premises]:
    folder, bytecode = tmp_path_factory.mktemp("kiosk"), tmp_path_factory.mktemp("bytecode")
    with premises_on(request.param, folder, bytecode, gate.port) as opened:
        yield opened


@pytest_asyncio.fixture(scope="package", loop_scope="session")
async def operator(browser: Browser, kiosk: Premises) -> AsyncIterator[BrowserContext]:
    """A browser in which somebody has signed in, by the form."""
    async with await browser.new_context() as context:
        context.set_default_timeout(60_000)
        await (await signed_in(context, kiosk.site)).page.close()
        yield context


@pytest_asyncio.fixture(loop_scope="session")
async def tab(operator: BrowserContext, kiosk: Premises) -> AsyncIterator[Watched]:
    page = await operator.new_page()
    watched = Watched(page, kiosk.site).watch()
    yield watched
    await watched.is_well()
    await page.close()


@pytest.fixture
def asked(operator: BrowserContext) -> APIRequestContext:
    """What sends requests beside the pages."""
    return operator.request
