"""When there is no answer: whoever presses a button is told so, and a tab that nobody sees keeps no connection."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, Page, Route, expect

from goatherd.web.dashboard.app import Dashboard
from tests.browser.dashboard.site import served, signed_in
from tests.browser.marks import IN_CHROMIUM
from tests.faults.watching import until

pytestmark = IN_CHROMIUM

PAUSE = "**/queues/mail/pause"


async def cut_off(context: BrowserContext, page: Page) -> None:
    await page.route(PAUSE, lambda route: route.abort())


async def by_a_proxy(context: BrowserContext, page: Page) -> None:
    async def refuse(route: Route) -> None:
        await route.fulfill(status=502, body="<h1>Bad gateway</h1>")

    await page.route(PAUSE, refuse)


async def signed_out(context: BrowserContext, page: Page) -> None:
    await context.clear_cookies()


@pytest.mark.parametrize(
    ("silence", "words"),
    [(cut_off, "does not answer"), (by_a_proxy, "the answer was 502"), (signed_out, "You are signed out, so nothing")],
)
async def test_a_button_that_did_nothing_says_so(
    context: BrowserContext,
    tmp_path: Path,
    silence: Callable[[BrowserContext, Page], Awaitable[None]],
    words: str,
) -> None:
    async with served(tmp_path, "shop") as (app, site):
        await app.tasks["send_mail"].send("ada")
        page = (await signed_in(context, site)).page
        await page.goto(f"{site}/queues/mail")
        await silence(context, page)
        await page.locator(".head-actions button", has_text="Pause").click()
        await page.locator("#confirm [data-yes]").click()
        await expect(page.locator("#toasts .toast")).to_have_count(1)
        await expect(page.locator("#toasts .toast")).to_contain_text(words)


async def test_a_tab_that_nobody_sees_lets_go_of_its_job(context: BrowserContext, tmp_path: Path) -> None:
    made: list[Dashboard] = []
    async with served(tmp_path, "shop", made.append) as (app, site):
        job = await app.tasks["send_mail"].start("ada")
        [dashboard] = made
        page = (await signed_in(context, site)).page
        await page.clock.install()
        await page.goto(f"{site}/jobs/{job.id}")
        await until(lambda: dashboard.streams.watching == 1, "the tab to watch")
        hide = "Object.defineProperty(document, 'hidden', {get: () => window.unseen})"
        turn = "document.dispatchEvent(new Event('visibilitychange'))"
        await page.evaluate(f"window.unseen = true; {hide}; {turn}")
        await page.clock.run_for(10_000)
        await until(lambda: dashboard.streams.watching == 0, "the tab to let go")
        await page.evaluate(f"window.unseen = false; {turn}")
        await until(lambda: dashboard.streams.watching == 1, "the tab to watch again")
        await expect(page.locator("[data-watch-state]")).to_have_attribute("data-state", "live")
