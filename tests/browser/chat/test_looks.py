"""Light, dark, and on a phone; the pictures are left in the test's folder."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, ViewportSize

from examples.chat.story.stage import Stage
from tests.browser.chat.pictures import PHONE, WIDE, Colours, half_answer, open_tab, picture, whole_answer
from tests.browser.marks import IN_CHROMIUM

pytestmark = IN_CHROMIUM

#: How much a text differs from what is behind it, by the WCAG: from 1 to 21.
CONTRAST = """(element) => {
    const ground = (one) => {
        const colour = getComputedStyle(one).backgroundColor;
        return colour === "rgba(0, 0, 0, 0)" ? ground(one.parentElement) : colour;
    };
    const light = (colour) => colour.match(/[0-9.]+/g).slice(0, 3).map((one) => one / 255)
        .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
        .reduce((sum, one, place) => sum + one * [0.2126, 0.7152, 0.0722][place], 0);
    const [less, more] = [light(getComputedStyle(element).color), light(ground(element))].sort();
    return (more + 0.05) / (less + 0.05);
}"""


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("colours", ["light", "dark"])
async def test_the_page_is_readable(
    browser: Browser, offline: Stage, tmp_path: Path, colours: Colours, size: ViewportSize
) -> None:
    tab = await open_tab(browser, offline.chat.url, colours, size)
    await picture(tab.page, tmp_path / "empty.png")
    await whole_answer(tab)
    await picture(tab.page, tmp_path / "whole.png")
    await half_answer(tab)
    # At once: a picture takes long on a busy machine, and the answer would be whole.
    await tab.page.keyboard.press("Escape")
    await tab.has_problem("This answer was stopped.")
    await picture(tab.page, tmp_path / "stopped.png")
    for name in (".text", ".said", ".question h3", ".after .provider", "#provider", ".problem", ".sources li"):
        assert await tab.page.locator(name).last.evaluate(CONTRAST) >= 4.5, name
    # Nothing is cut off at the side.
    for name in ("html", "#scroller"):
        assert await tab.page.locator(name).evaluate("one => one.scrollWidth <= one.clientWidth"), name
    assert tab.errors + tab.network_errors == []
    await tab.page.close()
