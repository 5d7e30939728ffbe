"""Where the story plays: the programs, a language model that obeys, and a user."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from uuid import uuid4

import httpx2

from examples.chat.chat import Chat
from examples.chat.story.model_server import ModelServer, answer_to
from examples.chat.story.watcher import Frame, Watcher
from examples.running.checks import must

#: Seconds between two tries to reach the language model are few, so that the story is short.
SETTINGS = {"CHAT_PORT": "0", "CHAT_PROVIDER": "openai", "CHAT_API_RETRY_BASE": "0.02", "CHAT_PAUSE": "0"}


@dataclass(frozen=True)
class Stage:
    """Every scene uses the same, one after the other."""

    chat: Chat
    model: ModelServer
    client: httpx2.Client
    chat_id: str = field(default_factory=lambda: str(uuid4()))
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def a_question(self) -> str:
        """One that was not asked before."""
        return f"How do I retry a job, for the {next(self._numbers)}th time?"

    def ask(self, message: str, **more: object) -> dict[str, Any]:
        """What chat-api says to a message."""
        return self.post(f"/api/v1/chat/{self.chat_id}/messages", {"message": message, **more}, 202)

    def post(self, path: str, body: object, expected: int) -> dict[str, Any]:
        """Ask for something; raises Broken if the status is another."""
        return self._checked(self.client.post(path, json=body), expected)

    def get(self, path: str, expected: int = 200) -> dict[str, Any]:
        """Look at something; raises Broken if the status is another."""
        return self._checked(self.client.get(path), expected)

    @contextmanager
    def half_an_answer(self, words: int = 20) -> Iterator[tuple[dict[str, Any], Watcher, str]]:
        """A question whose answer has stopped in the middle: what was accepted, its watcher, and the whole answer."""
        question = self.a_question()
        self.model.hold_at(words)
        try:
            accepted = self.ask(question)
            with self.watch(accepted, after="earliest") as watcher:
                watcher.wait_for_words(words)
                yield accepted, watcher, answer_to(question)
        finally:
            self.model.go_on()

    def watch(self, accepted: dict[str, Any], after: str | None = None) -> Watcher:
        """Watch an answer as it stands, or from its first event on."""
        return Watcher(accepted["stream_url"], accepted["stream_token"], after)

    def must_be_right(self, watcher: Watcher, expected: str) -> Frame:
        """It ends well, with this text, for the watcher as in the result; raises Broken."""
        end = watcher.end()
        must(end.event == "done", f"it ended with {end.data}")
        must(end.data["result"]["text"] == expected, f"the answer is {end.data['result']['text']!r}")
        must(watcher.text == expected, f"the watcher's text is {watcher.text!r} instead of {expected!r}")
        seqs = [int(frame.id.rpartition("-")[2]) for frame in watcher.frames if frame.id is not None]
        must(seqs == sorted(set(seqs)), f"the events came as {seqs}")
        return end

    def _checked(self, response: httpx2.Response, expected: int) -> dict[str, Any]:
        told = f"{response.request.url} was answered with {response.status_code}: {response.text[:300]}"
        must(response.status_code == expected, told)
        answer: dict[str, Any] = response.json()
        return answer
