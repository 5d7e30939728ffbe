"""The pages of the how-to about LLM answers: in a real browser, and in the AI SDK's own chat."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, sync_playwright

from scripts.servers.addresses import chromium, node_packages
from scripts.servers.node import node
from scripts.servers.ports import free_ports
from tests.docs.markdown import DOCS, blocks
from tests.docs.story import user_environment
from tests.docs.terminal import PATIENCE, Terminal
from tests.interop.ai_sdk.page import Page as Chat

pytestmark = [pytest.mark.timeout(120), pytest.mark.xdist_group("llm pages")]

#: Long enough for things to happen in the middle of its answer, which takes about four seconds.
QUESTION = " ".join(f"{number} goats," for number in range(40))
ANSWER = f"You asked: {QUESTION} "


class Stage:
    """The programs of the page, on ports of this test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.model, self.web, self.flask, self.gateway = free_ports(4)
        self.worker: Terminal | None = None
        self._open = ExitStack()

    def run(self, command: str, line: str, **settings: str) -> Terminal:
        """A program, up when it says this."""
        terminal = Terminal(command, self.folder, {**user_environment(), **settings})
        self._open.callback(terminal.close)
        terminal.shows([line])
        return terminal

    def start(self) -> None:
        self.run(f"uvicorn stand_in:web --port {self.model}", "...Uvicorn running on...")
        self.work()

    def work(self) -> None:
        """Have a worker."""
        model = {"OPENAI_BASE_URL": f"http://127.0.0.1:{self.model}/v1", "OPENAI_API_KEY": "none"}
        self.worker = self.run("goatherd worker app:app --tell-jobs", "...Taking jobs from assistant...", **model)

    def lose_worker(self) -> None:
        """Kill it, and have another one."""
        assert self.worker is not None
        self.worker.kill()
        self.work()

    def serve_with_fastapi(self) -> Terminal:
        """Returns the service, which is the gateway too."""
        return self.run(f"uvicorn web:web --port {self.web}", "...Uvicorn running on...")

    def serve_with_flask(self) -> Terminal:
        """Returns its gateway."""
        gateway = f"http://127.0.0.1:{self.gateway}"
        page = self.folder / "page.html"
        page.write_text(page.read_text(encoding="utf-8").replace('"/api/v1/', f'"{gateway}/api/v1/'), encoding="utf-8")
        self.run(f"flask --app flask_web run --port {self.flask}", " * Running on...", GATEWAY=gateway)
        return self.start_gateway()

    def start_gateway(self) -> Terminal:
        """The one beside Flask."""
        cors = f"--cors http://127.0.0.1:{self.flask}"
        return self.run(f"goatherd gateway app:app --port {self.gateway} {cors}", "...Streams at...")

    def close(self) -> None:
        self._open.close()


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    for block in blocks(DOCS / "howto" / "stream-llm-answers.md"):
        if block.file is not None:
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
    stage = Stage(tmp_path)
    try:
        stage.start()
        yield stage
    finally:
        stage.close()


# --- the page with goatherd.js ------------------------------------------------------------------


@pytest.fixture
def browser() -> Iterator[BrowserContext]:
    with sync_playwright() as playwright:
        # Root, as whom tests run in containers, may not have the sandbox; the page is our own.
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        context = browser.new_context()
        context.set_default_timeout(PATIENCE * 1000)
        yield context
        browser.close()


@pytest.mark.servers("chromium")
@pytest.mark.parametrize("service", ["fastapi", pytest.param("flask", marks=pytest.mark.chaos)])
def test_the_page_is_right_after_a_reload_in_two_tabs_and_without_its_gateway_and_worker(
    stage: Stage, browser: BrowserContext, service: str
) -> None:
    port, start_gateway = stage.web, stage.serve_with_fastapi
    gateway = stage.serve_with_fastapi() if service == "fastapi" else stage.serve_with_flask()
    if service == "flask":
        port, start_gateway = stage.flask, stage.start_gateway
    page = _asking(browser, port)
    page.reload()
    other = browser.new_page()
    other.goto(page.url)
    _until(other, "text.textContent.length > 80")
    gateway.kill()
    stage.lose_worker()
    start_gateway()
    for shown in (page, other):
        _until(shown, "document.title === 'done'")
        assert shown.locator("#text").text_content() == ANSWER


@pytest.mark.servers("chromium")
def test_the_page_can_stop_an_answer(stage: Stage, browser: BrowserContext) -> None:
    stage.serve_with_fastapi()
    page = _asking(browser, stage.web)
    page.click("text=Stop")
    _until(page, "document.title === 'cancelled'")
    shown = page.locator("#text").text_content()
    assert shown
    assert ANSWER.startswith(shown)
    assert shown != ANSWER


def _asking(browser: BrowserContext, port: int) -> Page:
    """A page in the middle of its answer."""
    page = browser.new_page()
    page.goto(f"http://127.0.0.1:{port}/")
    page.fill("input", QUESTION)
    page.click("text=Ask")
    _until(page, "text.textContent.length > 40")
    return page


def _until(page: Page, holds: str) -> None:
    page.wait_for_function(f"text => {holds}", arg=page.query_selector("#text"))


# --- useChat ------------------------------------------------------------------------------------


class User:
    """Somebody before the chat."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.sees = Chat(process)
        self._process = process

    async def does(self, deed: str, **more: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": deed, **more}).encode() + b"\n")
        await self._process.stdin.drain()

    async def sees_half(self) -> None:
        await self.sees.until(lambda chat: 40 < len(chat.text) < len(ANSWER) - 40)

    async def sees_the_whole(self) -> None:
        await self.sees.until(lambda chat: chat.text == ANSWER and chat.status == "ready")
        assert all(ANSWER.startswith(text) for text in self.sees.texts)


@asynccontextmanager
async def user_of(stage: Stage) -> AsyncIterator[User]:
    (stage.folder / "node_modules").symlink_to(Path(node_packages()) / "node_modules")
    (stage.folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    shutil.copy(Path(__file__).with_name("use_chat.mjs"), stage.folder)
    process = await asyncio.create_subprocess_exec(
        node(), "use_chat.mjs", cwd=stage.folder, env={"SERVICE": f"http://127.0.0.1:{stage.web}"},
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        limit=16 * 1024 * 1024,
    )  # fmt: skip
    try:
        yield User(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@pytest.mark.servers("node")
async def test_a_chat_is_right_after_a_reload_in_two_tabs_and_without_its_worker(stage: Stage) -> None:
    stage.serve_with_fastapi()
    async with user_of(stage) as user:
        await user.does("send", text=QUESTION)
        await user.sees_half()
        await user.does("reload")
        await user.does("second")
        await user.sees_half()
        await asyncio.to_thread(stage.lose_worker)
        await user.sees_the_whole()
        await user.sees.until(lambda chat: {"second": ANSWER} in chat.told)
        await user.does("reload")
        await user.sees.until(lambda chat: chat.status == "submitted")
        await user.sees_the_whole()


@pytest.mark.servers("node")
@pytest.mark.parametrize("how", ["while it is written", pytest.param("when it is done", marks=pytest.mark.chaos)])
async def test_a_chat_is_whole_after_its_service_and_gateway_were_away(stage: Stage, how: str) -> None:
    service = stage.serve_with_fastapi()
    async with user_of(stage) as user:
        await user.does("send", text=QUESTION)
        await user.sees_half()
        service.kill()
        if how == "when it is done":
            assert stage.worker is not None
            await asyncio.to_thread(stage.worker.shows, ["...answer[...] done in..."])
        await asyncio.to_thread(stage.serve_with_fastapi)
        await user.sees_the_whole()


@pytest.mark.servers("node")
async def test_a_chat_can_stop_its_answer(stage: Stage) -> None:
    stage.serve_with_fastapi()
    async with user_of(stage) as user:
        await user.does("send", text=QUESTION)
        await user.sees_half()
        await user.does("stop")
        await user.sees.until(lambda chat: chat.status == "ready")
        assert user.sees.text
        assert ANSWER.startswith(user.sees.text)
        assert user.sees.text != ANSWER


@pytest.mark.servers("node")
async def test_an_answer_that_fails_is_told_and_not_resumed(stage: Stage) -> None:
    app = stage.folder / "app.py"
    given_up = app.read_text(encoding="utf-8").replace("    finished = False", '    raise GiveUp("no goats")')
    app.write_text(given_up.replace("import Context,", "import Context, GiveUp,"), encoding="utf-8")
    await asyncio.to_thread(stage.lose_worker)
    stage.serve_with_fastapi()
    async with user_of(stage) as user:
        await user.does("send", text=QUESTION)
        await user.sees.until(lambda chat: chat.told[-1:] == [{"given_up": True}])
        assert user.sees.status == "error"
        assert [told["trouble"] for told in user.sees.told if "trouble" in told] == ["no goats"]
