"""Pictures of the page: for the eyes of whoever changes it, and two for the documentation.

    python -m scripts.servers chromium -- python -m tests.browser.chat.pictures docs/images

makes those two anew.
"""

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Literal

from playwright.async_api import Browser, Page, ViewportSize, async_playwright, expect

from scripts.servers.addresses import chromium
from tests.acceptance.chat.premises import chat_in
from tests.browser.chat.chat_tab import ChatTab

#: Words come slowly enough for a picture in the middle.
SLOWLY = {"CHAT_PROVIDER": "offline", "CHAT_PAUSE": "0.02"}
WIDE: ViewportSize = {"width": 860, "height": 720}
PHONE: ViewportSize = {"width": 360, "height": 720}

Colours = Literal["light", "dark"]


async def open_tab(browser: Browser, url: str, colours: Colours, size: ViewportSize) -> ChatTab:
    phone = size is PHONE
    page = await browser.new_page(
        viewport=size, color_scheme=colours, is_mobile=phone, has_touch=phone, device_scale_factor=1.5
    )
    tab = ChatTab(page, url)
    await tab.open()
    await expect(page.locator("#provider")).not_to_be_empty()
    return tab


async def whole_answer(tab: ChatTab) -> None:
    """A question that was answered."""
    await tab.ask("How do I retry a failed job?")
    await tab.is_done()


async def half_answer(tab: ChatTab) -> None:
    """One that is being answered, with code in the answer."""
    await tab.ask("How do I start a worker?")
    await expect(tab.text).to_contain_text("Watching 1 Python file")


async def picture(page: Page, path: Path) -> None:
    await page.screenshot(path=path, animations="disabled", caret="hide")


async def for_documentation(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as files, chat_in(Path(files), SLOWLY) as stage:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
            light = await open_tab(browser, stage.chat.url, "light", WIDE)
            await whole_answer(light)
            await picture(light.page, folder / "chat-light.png")
            dark = await open_tab(browser, stage.chat.url, "dark", WIDE)
            await half_answer(dark)
            await picture(dark.page, folder / "chat-dark.png")
            await browser.close()


if __name__ == "__main__":
    asyncio.run(for_documentation(Path(sys.argv[1])))
