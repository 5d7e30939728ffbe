"""Every story is told on each store: two variables are all that differs."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

import httpx2
import pytest

from examples.chat.chat import Chat
from examples.chat.story.model_server import ModelServer
from examples.chat.story.stage import SETTINGS, Stage
from scripts.servers.addresses import amqp_url, management, redis_url
from scripts.servers.management import with_virtual_host

#: `open_chat({"CHAT_MODEL": "goat-1"}, "worker")`: with these settings, and without that program.
OpenChat: TypeAlias = Callable[..., AbstractContextManager[Stage]]

STORES = [
    pytest.param("sqlite", marks=pytest.mark.xdist_group("chat sqlite")),
    pytest.param("servers", marks=[pytest.mark.servers("rabbitmq", "redis"), pytest.mark.xdist_group("chat servers")]),
]


@pytest.fixture(params=STORES)
def stores(request: pytest.FixtureRequest) -> Iterator[Mapping[str, str]]:
    """The settings that say where everything is; a module that is about one kind says so itself."""
    if request.param == "sqlite":
        yield {}
        return
    with management().virtual_host() as virtual_host:
        yield {
            "CHAT_RABBITMQ_URL": with_virtual_host(amqp_url(), virtual_host),
            "REDIS_STREAMS_URL": redis_url(),
            # Others use the same Redis at the same time.
            "STATE_KEY_PREFIX": f"chat-{uuid4().hex}:state",
        }


@pytest.fixture
def open_chat(stores: Mapping[str, str], tmp_path: Path) -> OpenChat:
    """A chat of the test's own, with a language model that obeys."""

    @contextmanager
    def opened(settings: Mapping[str, str] | None = None, *without: str) -> Iterator[Stage]:
        with ModelServer() as model:
            told = {**SETTINGS, "CHAT_API_BASE": model.url, **stores, **(settings or {})}
            chat = Chat(tmp_path, told, lambda _name, _line: None)
            chat.programs = tuple(program for program in chat.programs if program.name not in without)
            with chat, httpx2.Client(base_url=chat.url, timeout=50) as client:
                yield Stage(chat, model, client)

    return opened
