"""A dashboard of an app whose every name would like to be a script."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import BrowserContext, ConsoleMessage, Page, Request

from goatherd import Goatherd
from goatherd.model.audit import AuditEntry
from goatherd.model.ids import new_id
from goatherd.web import dashboard
from goatherd.web.dashboard.app import Dashboard
from goatherd.web.dashboard.server import DashboardServer, listen

TOKEN = "the token of operators"
EVIL = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>\"'}{{ 7 + 7 }}"
PATIENCE = 30


@asynccontextmanager
async def served(
    folder: Path, name: str = EVIL, more: Callable[[Dashboard], None] | None = None
) -> AsyncIterator[tuple[Goatherd, str]]:
    """The app, open, and the address of its dashboard; `more` gives that more pages."""
    app = Goatherd(name, broker_url=f"sqlite:///{folder}/jobs.db", default_queue="shop", dashboard_token=TOKEN)

    @app.task(queue="mail")
    async def send_mail(to: str) -> None: ...

    made = dashboard(app)
    if more is not None:
        more(made)
    server = DashboardServer(made)
    async with app:
        with listen("127.0.0.1", 0) as listening:
            serving = asyncio.create_task(server.serve([listening]))
            try:
                yield app, f"http://127.0.0.1:{listening.getsockname()[1]}"
            finally:
                server.stop()
                await asyncio.wait_for(serving, PATIENCE)


async def note(app: Goatherd, words: str) -> None:
    """Somebody did something, and every word of it is this."""
    entry = AuditEntry(
        id=new_id(),
        at=app.clock.now(),
        who=words,
        role="operator",
        address=words,
        action=words,
        target=words,
        details=b'{"said": "</script><script>window.hacked = 1</script>"}',
        outcome=f"failed: {words}",
    )
    await (await app.session().control_records.audit()).note(entry)


@dataclass
class Watched:
    """A page, and all that went wrong in it or left its site."""

    page: Page
    site: str
    wrong: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    def watch(self) -> "Watched":
        """Note from now on what goes wrong."""
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("dialog", lambda asked: self.wrong.append(asked.message))
        self.page.on("console", self._note_words)
        self.page.on("request", self._note_request)
        return self

    def _note_words(self, said: ConsoleMessage) -> None:
        if said.type in ("error", "warning"):
            self.wrong.append(said.text)

    def _note_request(self, asked: Request) -> None:
        if not asked.url.startswith(self.site + "/"):
            self.elsewhere.append(asked.url)

    async def is_well(self) -> None:
        """Nothing went wrong, nothing was asked for elsewhere, and no word became a script."""
        assert await self.page.evaluate("window.hacked") is None
        assert (self.wrong, self.elsewhere) == ([], [])


async def signed_in(context: BrowserContext, site: str) -> Watched:
    """A page in which an operator has signed in."""
    page = await context.new_page()
    await page.goto(f"{site}/")
    await page.fill("input[name=token]", TOKEN)
    await page.click("button")
    await page.wait_for_selector("h1:has-text('Overview')")
    # A browser writes 401 down as an error of the network, which it was before.
    return Watched(page, site).watch()
