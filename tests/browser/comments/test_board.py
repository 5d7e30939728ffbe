"""The page as a person sees it: comments come in order as they are written, wide or on a phone, light or dark."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, ViewportSize, expect

from examples.comments.board import Board
from examples.comments.story.stage import SETTINGS
from tests.browser.chat.pictures import PHONE, Colours, picture
from tests.browser.chat.test_looks import CONTRAST
from tests.browser.marks import IN_CHROMIUM

pytestmark = IN_CHROMIUM

WIDE: ViewportSize = {"width": 1200, "height": 800}
ONLY_WIDE = pytest.mark.parametrize("page", [("light", WIDE)], ids=["wide"], indirect=True)
PATIENCE = 30_000


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    with Board(tmp_path_factory.mktemp("board"), SETTINGS, lambda _name, _line: None) as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="session", params=[("light", WIDE), ("dark", PHONE)], ids=["wide", "phone"])
async def page(request: pytest.FixtureRequest, browser: Browser, board: Board) -> AsyncIterator[Page]:
    """Nothing may go wrong in it."""
    colours: Colours
    colours, size = request.param
    phone = size is PHONE
    opened = await browser.new_page(viewport=size, color_scheme=colours, is_mobile=phone, has_touch=phone)
    errors: list[str] = []
    opened.on("console", lambda said: errors.append(said.text) if said.type in ("error", "warning") else None)
    opened.on("pageerror", lambda error: errors.append(str(error)))
    expect.set_options(timeout=PATIENCE)
    await opened.goto(board.url)
    yield opened
    assert errors == []
    await opened.close()


async def new_post(page: Page, title: str) -> Locator:
    # Other stories have published some before.
    title = f"{title} {uuid4().hex[:6]}"
    await page.get_by_label("Title of a new post").fill(title)
    await page.get_by_role("button", name="Publish").click()
    card = page.locator(".post").filter(has=page.get_by_role("heading", name=title, exact=True))
    await expect(card).to_be_visible()
    return card


async def write(card: Locator, text: str) -> None:
    field = card.get_by_label("Write a comment")
    await field.fill(text)
    await field.press("Enter")
    await expect(card.locator(".said").get_by_text(text, exact=True)).to_be_visible()


async def test_twenty_comments_to_three_posts_come_in_order(page: Page, tmp_path: Path) -> None:
    cards = page.locator(".post")
    await expect(cards.nth(2)).to_be_visible()
    before = await cards.nth(2).locator(".entry.done").count()
    await page.get_by_role("button", name="Write 20 comments at once to three posts").click()
    for place in range(3):
        await expect(cards.nth(place).locator(".entry.done")).to_have_count(before + 20)
        numbers = await cards.nth(place).locator(".number").all_inner_texts()
        assert [int(number) for number in numbers] == [*range(1, before + 21)]
        await expect(cards.nth(place).locator(".order")).to_have_text("✓ in order")
    await picture(page, tmp_path / "in-order.png")
    for name in ("h2", ".body", ".count", ".order", ".number", ".state", ".said", "#many", ".close"):
        assert await page.locator(name).first.evaluate(CONTRAST) >= 4.5, name
    assert await page.locator("html").evaluate("one => one.scrollWidth <= one.clientWidth")


async def test_a_post_that_is_held_is_helped_on_in_the_page(page: Page, tmp_path: Path) -> None:
    card = await new_post(page, "Held")
    await write(card, "fail")
    await write(card, "behind it")
    await expect(card.locator(".stuck")).to_contain_text("Number 1 failed three times")
    await expect(card.locator(".entry.waiting")).to_have_count(1)
    await picture(page, tmp_path / "held.png")
    for name in (".stuck p", ".entry.held .state", ".rest"):
        assert await card.locator(name).first.evaluate(CONTRAST) >= 4.5, name
    await card.get_by_role("button", name="Skip it").click()
    await expect(card.locator(".entry.done .said")).to_have_text(["behind it"])
    await expect(card.locator(".entry.skipped .said")).to_have_text(["fail"])
    await expect(card.locator(".stuck")).to_be_hidden()


@ONLY_WIDE
async def test_likes_edits_and_closing_are_shown_without_a_reload(page: Page) -> None:
    card = await new_post(page, "Liked")
    await card.locator(".like").click()
    await expect(card.locator(".likes")).to_have_text("1")
    await write(card, "A tpyo")
    await expect(card.locator(".entry.done")).to_have_count(1)
    await card.locator(".entry").hover()
    await card.get_by_role("button", name="Edit").click()
    await card.get_by_label("What it says instead").fill("A typo")
    await card.get_by_role("button", name="Save").click()
    await expect(card.locator(".said")).to_have_text("A typo")
    await expect(card.locator(".state")).to_contain_text("edited")
    await card.get_by_role("button", name="Close the comments").click()
    await expect(card.get_by_label("Write a comment")).to_be_hidden()
