"""Two pictures of the page for the documentation.

    python -m scripts.servers chromium -- python -m tests.browser.comments.pictures docs/images

makes them anew.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Browser, async_playwright, expect

from examples.comments.board import Board
from scripts.servers.addresses import chromium
from tests.browser.chat.pictures import Colours, picture

#: Slowly enough for a picture in the middle.
SLOWLY = {"COMMENTS_PORT": "0", "COMMENTS_PAUSE": "0.2", "COMMENTS_RETRY_BASE": "0.1"}


async def in_the_middle(browser: Browser, url: str, colours: Colours, path: Path) -> None:
    page = await browser.new_page(
        viewport={"width": 1120, "height": 745}, color_scheme=colours, device_scale_factor=1.25
    )
    await page.goto(url)
    cards = page.locator(".post")
    await expect(cards.nth(2)).to_be_visible()
    await page.locator("#name").fill("Heidi")
    await page.locator("#name").blur()
    before = await cards.nth(0).locator(".entry.done").count()
    await page.get_by_role("button", name="Write 20 comments at once to three posts").click()
    await expect(cards.nth(0).locator(".entry.done")).to_have_count(before + 9)
    await picture(page, path)
    await page.close()


async def for_documentation(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as files, Board(Path(files), SLOWLY, lambda _name, _line: None) as board:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
            await in_the_middle(browser, board.url, "light", folder / "comments-light.png")
            await in_the_middle(browser, board.url, "dark", folder / "comments-dark.png")
            await browser.close()


if __name__ == "__main__":
    asyncio.run(for_documentation(Path(sys.argv[1])))
