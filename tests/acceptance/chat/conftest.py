"""Where everything is: two variables are all that differs."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

import pytest

from examples.chat.story.stage import Stage
from scripts.servers.addresses import amqp_url, management, redis_url
from scripts.servers.management import with_virtual_host
from tests.acceptance.chat.premises import chat_in

#: `open_chat({"CHAT_MODEL": "goat-1"}, "worker")`: with these settings, and without that program.
OpenChat: TypeAlias = Callable[..., AbstractContextManager[Stage]]

ON_A_FILE = pytest.mark.xdist_group("chat sqlite")
ON_SERVERS = [pytest.mark.servers("rabbitmq", "redis"), pytest.mark.xdist_group("chat servers")]


@pytest.fixture
def servers() -> Iterator[Mapping[str, str]]:
    """The settings that say where RabbitMQ and Redis are."""
    with management().virtual_host() as virtual_host:
        yield {
            "CHAT_RABBITMQ_URL": with_virtual_host(amqp_url(), virtual_host),
            "REDIS_STREAMS_URL": redis_url(),
            # Others use the same Redis at the same time.
            "STATE_KEY_PREFIX": f"chat-{uuid4().hex}:state",
        }


@pytest.fixture
def open_chat(tmp_path: Path) -> OpenChat:
    """A chat of the test's own."""
    return partial(chat_in, tmp_path)
