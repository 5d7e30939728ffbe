"""A chat for a test: its programs as real processes, a language model that obeys, and a client."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx2

from examples.chat.chat import Chat
from examples.chat.story.model_server import ModelServer
from examples.chat.story.stage import SETTINGS, Stage

#: Seconds after which a client gives up.
PATIENCE = 50.0


@contextmanager
def chat_in(folder: Path, settings: Mapping[str, str], *without: str) -> Iterator[Stage]:
    """All programs but those that the test plays itself, or leaves out."""
    with ModelServer() as model:
        told = {**SETTINGS, "CHAT_API_BASE": model.url, **settings}
        chat = Chat(folder, told, lambda _name, _line: None)
        chat.programs = tuple(program for program in chat.programs if program.name not in without)
        with chat, httpx2.Client(base_url=chat.url, timeout=PATIENCE) as client:
            yield Stage(chat, model, client)
