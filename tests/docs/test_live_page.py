"""The page of the tutorial shows a job live in a real browser, also after a reload and the death of the worker."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from scripts.servers.addresses import chromium
from scripts.servers.ports import free_ports
from tests.docs.markdown import DOCS, blocks
from tests.docs.story import user_environment
from tests.docs.terminal import PATIENCE, Terminal

pytestmark = [pytest.mark.servers("chromium"), pytest.mark.xdist_group("browser"), pytest.mark.timeout(120)]

#: How often the page has the story told.
TIMES = 5

#: Keeps every text that the page ever showed.
WITNESS = """
addEventListener("DOMContentLoaded", () => {
  const text = document.querySelector("#text");
  window.shown = [];
  new MutationObserver(() => shown.push(text.textContent)).observe(text, { childList: true });
});
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for block in blocks(DOCS / "tutorial" / "live-progress.md"):
        if block.file is not None:
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    [port] = free_ports(1)
    service = Terminal(f"uvicorn web:web --port {port}", folder, user_environment())
    try:
        service.shows(["...Uvicorn running on..."])
        yield f"http://127.0.0.1:{port}"
    finally:
        service.close()


@pytest.fixture
def page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        # Root, as whom tests run in containers, may not have the sandbox; the page is our own.
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        opened = browser.new_page()
        opened.set_default_timeout(PATIENCE * 1000)
        opened.add_init_script(WITNESS)
        yield opened
        browser.close()


def test_the_text_grows_and_survives_a_reload_and_a_dead_worker(folder: Path, address: str, page: Page) -> None:
    [told] = re.findall(r'^STORY = "(.+)"$', (folder / "app.py").read_text(encoding="utf-8"), re.MULTILINE)
    whole = told * TIMES
    workers = [working(folder)]
    try:
        page.goto(address)
        page.click("button")
        until_longer_than(page, len(told) // 2)
        before = text_of(page)

        page.reload()
        until_longer_than(page, len(before))
        assert text_of(page).startswith(before)

        workers[0].kill()
        workers.append(working(folder))
        page.wait_for_function("document.querySelector('#stage').textContent === 'done'")

        assert text_of(page) == whole
        assert page.evaluate("document.querySelector('progress').value") == 100
        shown = page.evaluate("shown")
        assert [text for text in shown if not whole.startswith(text)] == []
        # The page may take the old text back and show the first word of the new one at the same moment.
        assert any(len(later) < len(before) for before, later in pairwise(shown)), "its text was taken back"
    finally:
        for worker in workers:
            worker.close()


def working(folder: Path) -> Terminal:
    """A worker that takes jobs."""
    terminal = Terminal("goatherd worker app:app", folder, user_environment())
    terminal.shows(["...Taking jobs from library..."])
    return terminal


def text_of(page: Page) -> str:
    return page.locator("#text").text_content() or ""


def until_longer_than(page: Page, length: int) -> None:
    page.wait_for_function("length => document.querySelector('#text').textContent.length > length", arg=length)
