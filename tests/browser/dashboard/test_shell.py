"""What all pages have: sign in, go about, be up to date, act, and be safe from what jobs bring along."""

from pathlib import Path
from typing import Any, Literal

from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]
from playwright.async_api import Browser, BrowserContext, expect

from goatherd.web.dashboard.pages.registered import PAGES
from tests.browser.dashboard.site import EVIL, note, served, signed_in
from tests.browser.marks import IN_CHROMIUM

pytestmark = IN_CHROMIUM


async def test_no_word_of_a_job_becomes_a_script(context: BrowserContext, tmp_path: Path) -> None:
    async with served(tmp_path) as (app, site):
        await note(app, EVIL)
        tab = await signed_in(context, site)
        for page in PAGES:
            await tab.page.goto(site + page.path)
            await tab.is_well()
        await tab.page.goto(f"{site}/audit?text=<script>&who=&x=%22%3E%3Cscript%3Ewindow.hacked=1%3C/script%3E")
        await expect(tab.page.locator("tbody tr")).to_have_count(1)
        await tab.page.click("summary")
        await expect(tab.page.locator("pre")).to_contain_text("</script><script>window.hacked = 1")
        await expect(tab.page.locator(".brand-name")).to_have_text(EVIL)
        await tab.is_well()


async def test_a_page_renews_itself_and_leaves_alone_what_is_open(context: BrowserContext, tmp_path: Path) -> None:
    async with served(tmp_path, "shop") as (app, site):
        await note(app, "first")
        tab = await signed_in(context, site)
        await tab.page.goto(f"{site}/audit")
        await tab.page.click("summary")
        await tab.page.fill("main input[type=search]", "half a wor")
        await note(app, "second")
        await expect(tab.page.locator("tbody tr")).to_have_count(2, timeout=30_000)
        await expect(tab.page.locator("details[open]")).to_have_count(1)
        await expect(tab.page.locator("main input[type=search]")).to_have_value("half a wor")
        await tab.page.keyboard.press("Escape")
        await tab.page.keyboard.press("g")
        await tab.page.keyboard.press("o")
        await expect(tab.page.locator("h1")).to_have_text("Overview")
        await tab.page.keyboard.press("?")
        await expect(tab.page.locator("#keys")).to_be_visible()
        await tab.page.keyboard.press("Escape")
        await tab.page.keyboard.press("t")
        await expect(tab.page.locator("html")).to_have_attribute("data-theme", "light")
        await tab.page.reload()
        await expect(tab.page.locator("html")).to_have_attribute("data-theme", "light")
        await tab.is_well()


async def test_a_tab_that_nobody_sees_asks_for_nothing(context: BrowserContext, tmp_path: Path) -> None:
    async with served(tmp_path, "shop") as (_, site):
        page = (await signed_in(context, site)).page
        await page.clock.install()
        await page.goto(f"{site}/audit")
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url) if "part=" in request.url else None)
        hide = "Object.defineProperty(document, 'hidden', {get: () => window.unseen})"
        await page.evaluate(f"window.unseen = true; {hide}")
        await page.clock.run_for(60_000)
        assert asked == []
        async with page.expect_response("**/audit?part=rows"):
            await page.evaluate("window.unseen = false; document.dispatchEvent(new Event('visibilitychange'))")
        await page.keyboard.press("p")
        await expect(page.locator("[data-live-switch]")).to_have_attribute("aria-pressed", "true")
        asked.clear()
        await page.clock.run_for(60_000)
        assert asked == []


async def test_nothing_stands_in_the_way_of_those_who_cannot_see(browser: Browser, tmp_path: Path) -> None:
    async with served(tmp_path, "shop") as (app, site):
        await note(app, "somebody")
        schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
        for colours in schemes:
            async with await browser.new_context(color_scheme=colours) as context:
                entrance = await context.new_page()
                await entrance.goto(f"{site}/")
                assert violations(await Axe().run(entrance)) == []
                tab = await signed_in(context, site)
                for page in PAGES:
                    await tab.page.goto(site + page.path)
                    assert violations(await Axe().run(tab.page)) == [], page.title


async def test_nothing_is_cut_off_on_a_telephone(browser: Browser, tmp_path: Path) -> None:
    async with served(tmp_path, "shop") as (app, site):
        await note(app, "a-very-long-name-without-any-space-in-it-" * 5)
        async with await browser.new_context(viewport={"width": 390, "height": 844}) as context:
            tab = await signed_in(context, site)
            for page in PAGES:
                await tab.page.goto(site + page.path)
                assert await tab.page.evaluate("document.documentElement.scrollWidth") <= 390, page.title
            await tab.is_well()


def violations(results: Any) -> list[str]:
    found = results.response["violations"]
    return [
        f"{each['id']}: {[node['html'][:200] for node in each['nodes'][:3]]}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]
