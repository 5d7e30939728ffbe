"""A tab with the chat in it, as a person uses it."""

from typing import Any

import httpx2
from playwright.async_api import ConsoleMessage, Locator, Page, expect

#: Milliseconds within which the page must show what it should; long, for a busy machine.
PATIENCE = 30_000
expect.set_options(timeout=PATIENCE)


class ChatTab:
    """What one does and sees there, and what went wrong in it."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        #: Errors of the page's own, and those of the network, which a browser writes down too.
        self.errors: list[str] = []
        self.network_errors: list[str] = []
        page.on("console", self._note_words)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.set_default_timeout(PATIENCE)

    @property
    def message(self) -> Locator:
        """The field that one types into."""
        return self.page.get_by_role("textbox", name="Your message")

    @property
    def exchanges(self) -> Locator:
        return self.page.locator(".exchange")

    @property
    def text(self) -> Locator:
        """What the last answer says."""
        return self.exchanges.last.locator(".text")

    @property
    def chat_id(self) -> str:
        return self.page.url.partition("#")[2]

    async def open(self, chat_id: str = "") -> None:
        """Show a chat, or the one that this browser had last, or a new one."""
        await self.page.goto(f"{self.url}/#{chat_id}" if chat_id else self.url)
        await expect(self.page.locator(".exchange, #empty:visible").first).to_be_visible()

    async def ask(self, message: str) -> None:
        await self.message.fill(message)
        await self.message.press("Enter")
        await expect(self.exchanges.last.locator(".said")).to_have_text(message)

    async def shows(self, text: str) -> None:
        """Wait until the last answer is this one, character by character, and whole."""
        await expect(self.text).to_have_text(text, use_inner_text=True)
        await self.is_done()

    async def is_half_there(self) -> None:
        """Wait until the last answer is where the language model was told to stop."""
        await expect(self.text).to_contain_text("word9")
        await expect(self.exchanges.last.locator(".steps")).to_be_visible()

    async def is_done(self) -> None:
        """Wait until the last answer has ended, well or not, and one may ask again."""
        await expect(self.exchanges.last.locator(".after")).to_be_visible()
        await expect(self.page.get_by_role("button", name="Send", exact=True)).to_be_visible()

    async def has_note(self, text: str) -> None:
        await expect(self.exchanges.last.locator(".note")).to_have_text(text)

    async def has_problem(self, text: str) -> None:
        await expect(self.exchanges.last.locator(".problem")).to_contain_text(text)

    def told(self) -> list[dict[str, Any]]:
        """What the API says of this chat."""
        answer = httpx2.get(f"{self.url}/api/v1/chat/{self.chat_id}/messages", timeout=20).raise_for_status()
        messages: list[dict[str, Any]] = answer.json()["messages"]
        return messages

    def _note_words(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            network = message.text.startswith("Failed to load resource")
            (self.network_errors if network else self.errors).append(message.text)
