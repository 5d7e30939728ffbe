"""Pictures of the dashboard for the documentation.

    python -m scripts.servers chromium -- python -m tests.browser.dashboard.pictures docs/images

makes them anew.
"""

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Browser, Page, ViewportSize, async_playwright, expect

from scripts.servers.addresses import chromium
from tests.acceptance.cli.stage import Stage
from tests.browser.chat.pictures import Colours, picture
from tests.browser.dashboard.site import TOKEN

#: With the scale below it is as large as the other picture of the README.
OVERVIEW: ViewportSize = {"width": 1200, "height": 1005}
OVERVIEW_SCALE = 1.075
WIDE: ViewportSize = {"width": 1120, "height": 760}
PHONE: ViewportSize = {"width": 390, "height": 800}
PATIENCE = 60.0
#: Seconds of traffic before the first picture.
A_WHILE = 40
#: So that long jobs never wait for short ones.
BUSY = ("--queues", "mail,photos,payments,reviews,exports,counter-{}")
APP = "tests.browser.dashboard.gallery:app"


@asynccontextmanager
async def shop_at_work(folder: Path) -> AsyncIterator[str]:
    """The address of its dashboard, with customers in the shop."""
    root = str(Path(__file__).parents[3])
    settings = {"GOATHERD_BROKER_URL": f"sqlite:///{folder}/shop.db", "GOATHERD_DASHBOARD_TOKEN": TOKEN}
    os.environ.update(settings)
    # Only now: an app reads its settings when it is made.
    from tests.browser.dashboard import gallery, traffic

    stage = Stage(folder, folder / "bytecode")
    stage.environment |= {**settings, "PYTHONPATH": root, "GOATHERD_SECRET": "a secret of the pictures"}
    async with gallery.app:
        try:
            dashboard = stage.start("dashboard", APP, "--port", "0")
            worker = stage.start("worker", APP, "--concurrency", "9", *BUSY, SHOP_IS_OPEN="1")
            stage.start("worker", APP, "--concurrency", "8", "--queues", "shop,texts")
            for role in ("scheduler", "router"):
                stage.start(role, APP)
            stage.start("gateway", APP, "--port", "0")
            site = dashboard.hear(r"Dashboard at (http://\S+)/", PATIENCE).group(1)
            worker.hear("Taking jobs", PATIENCE)
            await traffic.have_an_hour_behind()
            await traffic.trouble()
            yield site
        finally:
            stage.close()


async def opened(browser: Browser, site: str, colours: Colours, size: ViewportSize, scale: float) -> Page:
    phone = size is PHONE
    page = await browser.new_page(
        viewport=size, color_scheme=colours, device_scale_factor=scale, is_mobile=phone, has_touch=phone
    )
    await page.goto(f"{site}/")
    await page.fill("input[name=token]", TOKEN)
    await page.click("button")
    await expect(page.locator("h1")).to_have_text("Overview")
    return page


async def of_the_overview(browser: Browser, site: str, folder: Path) -> None:
    schemes: tuple[Colours, ...] = ("light", "dark")
    for colours in schemes:
        page = await opened(browser, site, colours, OVERVIEW, OVERVIEW_SCALE)
        await picture(page, folder / f"dashboard-{colours}.png")
        await page.close()
    page = await opened(browser, site, "dark", PHONE, 1.5)
    await picture(page, folder / "dashboard-phone.png")
    await page.close()


async def of_work(browser: Browser, site: str, folder: Path) -> None:
    from tests.browser.dashboard import gallery

    page = await opened(browser, site, "light", WIDE, 1.25)
    await page.goto(f"{site}/dead?task=charge_card")
    await page.locator("#rows a.name").first.click()
    await page.get_by_text("All of them").click()
    await page.get_by_role("button", name="Replay…").click()
    await expect(page.locator("#impact")).to_contain_text("would be put back")
    await picture(page, folder / "dashboard-dead.png")
    job = await gallery.summarise.start(url="https://example.org/goats")
    await page.goto(f"{site}/jobs/{job.id}")
    await expect(page.locator("[data-watch]")).to_contain_text("ten months later", timeout=PATIENCE * 1000)
    await picture(page, folder / "dashboard-job.png")
    album = gallery.Album(customer="ada@example.org", photos=[f"IMG_{number}.jpg" for number in range(24)])
    run = await gallery.photo_book.start(album)
    await page.goto(f"{site}/runs/{run.id}?step=enhance")
    await expect(page.locator("#step-enhance")).to_contain_text(re.compile("1[0-9] of 24"), timeout=PATIENCE * 1000)
    await picture(page, folder / "dashboard-run.png")
    await page.close()


async def for_documentation(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as files:
        async with shop_at_work(Path(files)) as site, async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
            await asyncio.sleep(A_WHILE)
            await of_the_overview(browser, site, folder)
            await of_work(browser, site, folder)
            await browser.close()


if __name__ == "__main__":
    asyncio.run(for_documentation(Path(sys.argv[1])))
