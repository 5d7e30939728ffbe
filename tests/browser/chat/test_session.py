"""A person's session, without a language model."""

import re

from playwright.async_api import BrowserContext, expect

from examples.chat.story.stage import Stage
from tests.browser.chat.chat_tab import ChatTab
from tests.browser.marks import IN_CHROMIUM

pytestmark = IN_CHROMIUM


async def test_a_person_asks_reads_asks_again_and_looks_back(context: BrowserContext, offline: Stage) -> None:
    tab = ChatTab(await context.new_page(), offline.chat.url)
    page = tab.page
    await tab.open()

    # A question that is offered: its stages, its words as they come, its sources.
    await page.locator(".example").first.click()
    await expect(page.locator("#empty")).to_be_hidden()
    steps = page.get_by_role("progressbar")
    await expect(steps.locator("span")).to_have_text(["Intent", "Retrieval", "Answer"])
    await expect(steps.locator(".present")).to_have_text("Answer")
    await expect(steps.locator(".past")).to_have_text(["Intent", "Retrieval"])
    await expect(tab.text).to_have_attribute("aria-busy", "true")
    await expect(page.locator(".sources li").first).to_be_visible()
    await tab.is_done()
    await expect(tab.text).to_have_attribute("aria-busy", "false")
    [told] = tab.told()
    assert _words(await tab.text.inner_text()) == _words(told["answer"])
    assert await page.locator(".sources li").all_inner_texts() == told["sources"] != []
    await expect(page.locator(".after .provider")).to_have_text("Offline, without a language model")

    # The next one is typed, in two lines, and is still in the field's focus.
    await expect(tab.message).to_be_focused()
    await page.keyboard.type("How do I retry")
    await page.keyboard.press("Shift+Enter")
    await page.keyboard.type("a failed job?")
    assert (await tab.message.input_value()).count("\n") == 1
    await page.keyboard.press("Enter")
    await expect(tab.message).to_have_value("")
    await expect(tab.exchanges).to_have_count(2)
    await tab.is_done()

    # All of it is there again later, and in the same words.
    before = await page.locator("#exchanges").inner_text()
    await page.reload()
    await expect(tab.exchanges).to_have_count(2)
    assert await page.locator("#exchanges").inner_text() == before

    # A new chat is empty; back leads to the old one.
    await page.get_by_role("button", name="New chat").click()
    await expect(page.locator("#empty")).to_be_visible()
    await page.go_back()
    await expect(tab.exchanges).to_have_count(2)

    # Whoever opens the page without an address goes on where he was.
    await page.goto(offline.chat.url)
    await expect(tab.exchanges).to_have_count(2)
    assert tab.errors + tab.network_errors == []


async def test_an_empty_chat_says_who_answers_and_offers_questions(context: BrowserContext, offline: Stage) -> None:
    tab = ChatTab(await context.new_page(), offline.chat.url)
    await tab.open()
    await expect(tab.page.locator("#provider")).to_contain_text("Offline")
    await expect(tab.page.locator("#introduction")).to_contain_text("No language model is at work here")
    await expect(tab.page.locator(".example")).to_have_count(3)
    await expect(tab.message).to_be_focused()
    await expect(tab.page.get_by_role("button", name="Send", exact=True)).to_be_disabled()


async def test_nothing_moves_that_one_reads(context: BrowserContext, offline: Stage) -> None:
    tab = ChatTab(await context.new_page(), offline.chat.url)
    await tab.page.add_init_script(
        "window.moved = 0; new PerformanceObserver((list) => {"
        " for (const entry of list.getEntries()) window.moved += entry.value; })"
        ".observe({ type: 'layout-shift', buffered: true });"
    )
    await tab.open()
    for question in ("Hello!", "What happens when a worker dies?"):
        await tab.ask(question)
        await tab.is_done()
    await tab.page.reload()
    await tab.is_done()
    assert await tab.page.evaluate("moved") < 0.02


async def test_a_reader_who_has_gone_back_is_left_alone(context: BrowserContext, offline: Stage) -> None:
    tab = ChatTab(await context.new_page(), offline.chat.url)
    await tab.page.set_viewport_size({"width": 700, "height": 420})
    await tab.open()
    await tab.ask("How do I start a worker?")
    latest = tab.page.get_by_role("button", name="Latest")
    await expect(tab.page.locator(".text pre").first).to_be_visible()
    await tab.page.locator("#scroller").evaluate("element => { element.scrollTop = 0; }")
    await expect(latest).to_be_visible()
    await tab.is_done()
    assert await tab.page.locator("#scroller").evaluate("element => element.scrollTop") == 0
    await latest.click()
    await expect(latest).to_be_hidden()
    await expect(tab.page.locator(".sources li").last).to_be_in_viewport()
    assert tab.errors == []


def _words(text: str) -> list[str]:
    """Without the signs of Markdown."""
    return re.sub(r"```\w*|\*\*|`", "", text).split()
