"""Every page with something on it, whose every word would like to be a script: safe, readable, also on a telephone."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest
from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]
from playwright.async_api import APIRequestContext, Page, expect

from tests.browser.dashboard.gate import PATIENCE, Gate, Guest
from tests.browser.dashboard.premises import Premises
from tests.browser.dashboard.site import EVIL, Watched
from tests.browser.dashboard.test_shell import violations
from tests.browser.marks import IN_CHROMIUM

pytestmark = [*IN_CHROMIUM, pytest.mark.timeout(480)]

#: The colours are all that the dark changes.
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
#: What words would have become, had they not stayed words.
MARKUP = "document.querySelectorAll('img, script:not([src]), iframe, [onerror]').length"


@dataclass
class Scene:
    """What has happened and still goes on in the kiosk."""

    told: str
    failed: str
    well: str
    burnt: str
    cooking: str
    guests: list[Guest]

    def leave(self) -> None:
        """Let everything end."""
        for guest in self.guests:
            guest.let_go()


async def played(kiosk: Premises, gate: Gate, asked: APIRequestContext) -> Scene:
    """Have something on each page."""
    told = await kiosk.submit(asked, "tell", title=EVIL)
    well = await kiosk.submit(asked, "mutter", words=f"well {EVIL}")
    failed = await kiosk.submit(asked, "mutter", words=EVIL)
    await kiosk.submit(asked, "shout", words=EVIL)
    burnt = await kiosk.submit(asked, "dinner", input=[EVIL])
    # Whoever comes first: one of them tells it, and the other spoils a dish with it.
    guests = [await gate.next(EVIL), await gate.next(EVIL)]
    for guest in guests:
        await guest.hear(EVIL)
    cooking = await kiosk.submit(asked, "dinner", input=["soup", "cake"])
    guests += [await gate.next("soup"), await gate.next("cake")]
    await kiosk.submit(asked, "serve", "send", table="window", dish=EVIL)
    return Scene(told=told, failed=failed, well=well, burnt=burnt, cooking=cooking, guests=guests)


async def linked(page: Page, link: str) -> str:
    """Where a link leads."""
    where = await page.locator(link).first.get_attribute("href")
    assert where is not None
    return where


async def test_every_page(tab: Watched, kiosk: Premises, gate: Gate, asked: APIRequestContext) -> None:
    page, site = tab.page, kiosk.site
    expect.set_options(timeout=PATIENCE * 1000)
    scene = await played(kiosk, gate, asked)
    await page.goto(f"{site}/lanes?condition=held")
    lane = await linked(page, "#rows a.name:has-text('script')")
    # So that the log of what operators did has the words, too.
    await page.get_by_role("button", name="Retry").first.click()
    await expect(page.locator("#confirm-words")).to_contain_text("again now?")
    await page.locator("#confirm [data-yes]").click()
    await expect(page.locator(".toast")).to_contain_text("<script>window.hacked")
    await page.goto(f"{site}/dead?task=mutter")
    group = await linked(page, "#rows a.name")
    await page.goto(f"{site}{group}")
    letter = await linked(page, "#rows a.id")
    await page.goto(f"{site}/workers?role=worker")
    worker = await linked(page, "#rows a.name")
    # Pages, and whether the words must be seen there.
    pages = {
        "/": False,
        "/queues": False,
        "/queues/shouts": False,
        "/jobs": True,
        f"/jobs?text={quote(EVIL)}": False,
        f"/jobs/{scene.told}": True,
        f"/jobs/{scene.failed}": True,
        f"/jobs/{scene.well}": True,
        "/runs": True,
        f"/runs/{scene.burnt}?step=cook": True,
        f"/runs/{scene.cooking}": False,
        "/lanes": True,
        lane: True,
        "/dead": True,
        group: True,
        letter: True,
        "/dead/impact?share=all": False,
        "/tasks": False,
        "/tasks/shout": False,
        "/schedules": False,
        "/schedules/stocktaking": False,
        "/listeners": False,
        "/workers": False,
        worker: False,
        "/streams": False,
        "/topology": False,
        "/audit": True,
        "/api/docs": False,
    }
    for path, is_said in pages.items():
        await page.goto(site + path)
        await expect(page.locator("h1")).to_be_visible()
        if is_said:
            await expect(page.locator("main")).to_contain_text("<script>window.hacked")
        assert await page.evaluate(MARKUP) == 0, path
        await looked_at(page, path)
        await tab.is_well()
    scene.leave()


async def looked_at(page: Page, path: str) -> None:
    """By those who cannot see it, in the light, in the dark, and on a telephone."""
    await page.set_viewport_size({"width": 1280, "height": 900})
    assert violations(await Axe().run(page)) == [], path
    await page.emulate_media(color_scheme="dark")
    assert violations(await axe(page, COLOURS)) == [], f"{path} in the dark"
    await page.set_viewport_size({"width": 390, "height": 844})
    assert await page.evaluate("document.documentElement.scrollWidth") <= 390, path
    await page.emulate_media(color_scheme="light")


async def axe(page: Page, options: dict[str, Any]) -> Any:
    return await Axe().run(page, options=options)
