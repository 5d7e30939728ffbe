"""The programs of the chat: one set with a language model that obeys, and one without any."""

from collections.abc import AsyncIterator, Iterator, Mapping
from uuid import uuid4

import pytest
import pytest_asyncio
from playwright.async_api import BrowserContext

from examples.chat.story.stage import Stage
from scripts.servers.addresses import amqp_url, management, redis_url
from scripts.servers.management import with_virtual_host
from tests.acceptance.chat.premises import chat_in
from tests.browser.chat.chat_tab import ChatTab

ON_SERVERS = pytest.param("servers", marks=pytest.mark.servers("rabbitmq", "redis"))


@pytest.fixture(scope="session", params=["sqlite"])
def stage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Who answers is a language model that stops where it is told to."""
    folder = tmp_path_factory.mktemp("chat")
    if request.param == "sqlite":
        with chat_in(folder, {}) as opened:
            yield opened
        return
    with management().virtual_host() as virtual_host, chat_in(folder, _servers(virtual_host)) as opened:
        yield opened


@pytest.fixture(scope="session")
def offline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """No language model; words come slowly enough to be seen."""
    with chat_in(tmp_path_factory.mktemp("offline"), {"CHAT_PROVIDER": "offline", "CHAT_PAUSE": "0.03"}) as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="session")
async def tab(context: BrowserContext, stage: Stage) -> AsyncIterator[ChatTab]:
    """An empty chat; whatever a story does, nothing goes wrong in the page."""
    opened = ChatTab(await context.new_page(), stage.chat.url)
    await opened.open()
    try:
        yield opened
    finally:
        stage.model.go_on()
    assert opened.errors == []


def _servers(virtual_host: str) -> Mapping[str, str]:
    return {
        "CHAT_RABBITMQ_URL": with_virtual_host(amqp_url(), virtual_host),
        "REDIS_STREAMS_URL": redis_url(),
        # Others use the same Redis at the same time.
        "STATE_KEY_PREFIX": f"chat-{uuid4().hex}:state",
    }
