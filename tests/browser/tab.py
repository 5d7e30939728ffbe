"""A tab of a browser with a page that follows a job."""

import json
from typing import Any
from urllib.parse import quote

from playwright.async_api import BrowserContext, ConsoleMessage, Page, Request, TimeoutError

from tests.browser.scribe import Scribe
from tests.browser.services import token_for

#: Milliseconds within which a page must show what it should; long, for a busy machine.
PATIENCE = 30_000

SHOWN = "document.getElementById('text').textContent"


class Tab:
    """A page, what it asked the gateway for, and what went wrong in it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[Request] = []
        #: Errors of the page's own, and those of the network, which a browser writes down too.
        self.errors: list[str] = []
        self.network_errors: list[str] = []
        page.on("request", self._note_request)
        page.on("console", self._note_words)
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    async def open(self, kind: str, origin: str, job_id: str, **options: Any) -> None:
        """Show the page of a job: `plain` is an EventSource, `watch` is goatherd.js."""
        wanted = {"events": f"/api/v1/tales/{job_id}/events", "token": token_for(job_id), **options}
        await self.page.goto(f"{origin}/pages/{kind}.html?options={quote(json.dumps(wanted))}")

    async def shows(self, text: str) -> None:
        """Wait until the text on the page is this one, character by character."""
        try:
            await self.page.wait_for_function(f"text => {SHOWN} === text", arg=text, timeout=PATIENCE)
        except TimeoutError:
            assert await self.page.evaluate(SHOWN) == text
            raise

    async def is_at(self, stage: str) -> None:
        """Wait until the page shows this stage."""
        shown = "stage => document.getElementById('stage').textContent === stage"
        await self.page.wait_for_function(shown, arg=stage, timeout=PATIENCE)

    async def becomes(self, state: str) -> None:
        """Wait until goatherd.js is in this state."""
        try:
            await self.page.wait_for_function("state => window.job?.state === state", arg=state, timeout=PATIENCE)
        except TimeoutError:
            assert await self.page.evaluate("window.job.state") == state
            raise

    async def is_cut_off(self) -> None:
        """Wait until an EventSource has given up for good."""
        await self.page.wait_for_function("source.readyState === EventSource.CLOSED", timeout=PATIENCE)

    async def comes_back(self, requests: int) -> None:
        """Wait until the page has asked for the stream more often than that."""
        if len(self.requests) <= requests:
            await self.page.wait_for_event("request", lambda request: request in self.requests, timeout=PATIENCE)

    async def told(self) -> list[dict[str, Any]]:
        """The events that the page got."""
        events: list[dict[str, Any]] = await self.page.evaluate("window.told")
        return events

    def _note_request(self, request: Request) -> None:
        if "/events" in request.url.split("?")[0]:
            self.requests.append(request)

    def _note_words(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            network = message.text.startswith("Failed to load resource")
            (self.network_errors if network else self.errors).append(message.text)


async def follow(context: BrowserContext, kind: str, origin: str, scribe: Scribe, **options: Any) -> Tab:
    """A new tab that shows what the scribe writes."""
    tab = Tab(await context.new_page())
    await tab.open(kind, origin, scribe.job_id, **options)
    return tab


async def assert_told_each_once(tab: Tab, scribe: Scribe) -> None:
    """The page was there from the beginning, so the tokens that it got are the text, and none came twice."""
    tokens = [event for event in await tab.told() if event["event"] == "token"]
    assert "".join(event["data"]["content"] for event in tokens) == scribe.text
    assert len({event["id"] for event in tokens}) == len(tokens)
