"""Clients of other makers, as they treat what they are told."""

from typing import Any

from goatherd.testing.suites.event_store import Author
from tests.unit.web.chunks import Read, read
from tests.unit.web.visitor import Visitor


class UiMessage:
    """What the AI SDK's own reader makes of chunks, told in short; `tests/interop` asks the real one."""

    def __init__(self) -> None:
        self.parts: list[dict[str, Any]] = []
        self._open: dict[str, dict[str, Any]] = {}
        self.finished = False
        self.errors: list[str] = []

    @property
    def text(self) -> str:
        return "".join(part["text"] for part in self.parts if part["type"] == "text")

    @property
    def stages(self) -> list[str]:
        return [part["id"] for part in self.parts if part["type"] == "data-stage"]

    def take(self, chunk: Any) -> None:
        if chunk == "[DONE]":
            self.finished = True
            return
        kind = chunk["type"].replace("-", "_")
        getattr(self, f"_{kind}")(chunk)

    def _start(self, chunk: Any) -> None:
        self.parts, self._open = [], {}

    def _start_step(self, chunk: Any) -> None:
        self.parts.append({"type": "step-start"})

    def _reset_step(self, chunk: Any) -> None:
        steps = [index for index, part in enumerate(self.parts) if part["type"] == "step-start"]
        self.parts, self._open = self.parts[: steps[-1] + 1], {}

    def _text_start(self, chunk: Any) -> None:
        part = {"type": "text", "text": "", "state": "streaming"}
        self._open[chunk["id"]] = part
        self.parts.append(part)

    def _text_delta(self, chunk: Any) -> None:
        self._open[chunk["id"]]["text"] += chunk["delta"]

    def _text_end(self, chunk: Any) -> None:
        self._open.pop(chunk["id"])["state"] = "done"

    def _data_stage(self, chunk: Any) -> None:
        known = [part for part in self.parts if part["type"] == "data-stage" and part["id"] == chunk["id"]]
        if known:
            known[0]["data"] = chunk["data"]
        else:
            self.parts.append(dict(chunk))

    def _error(self, chunk: Any) -> None:
        self.errors.append(chunk["errorText"])

    def _finish_step(self, chunk: Any) -> None:
        assert not self._open

    def _finish(self, chunk: Any) -> None:
        assert not self._open

    def _abort(self, chunk: Any) -> None:
        assert not self._open


class Completion:
    """What a client of OpenAI's has when it has appended all deltas."""

    def __init__(self) -> None:
        self.text = ""
        self.roles: list[str] = []
        self.finish_reason: str | None = None
        self.error: str | None = None
        self.finished = False

    def take(self, chunk: Any) -> None:
        assert self.error is None or chunk == "[DONE]", "an error is the last word"
        if chunk == "[DONE]":
            self.finished = True
        elif "error" in chunk:
            self.error = chunk["error"]["code"]
        else:
            [choice] = chunk["choices"]
            self.text += choice["delta"].get("content", "")
            self.roles += [choice["delta"]["role"]] if "role" in choice["delta"] else []
            self.finish_reason = choice["finish_reason"] or self.finish_reason


def whole_groups(chunks: list[Read]) -> list[Read]:
    """Without what comes after the last id: one who was cut off there gets it again."""
    last = max((index for index, chunk in enumerate(chunks) if chunk.id is not None), default=-1)
    return chunks[: last + 1]


def chunks(visitor: Visitor) -> list[Read]:
    """What one was told."""
    return read(visitor.body)


def last_id(visitor: Visitor) -> str:
    """Where one would go on."""
    return [chunk.id for chunk in chunks(visitor) if chunk.id is not None][-1]


def message(*visitors: Visitor) -> UiMessage:
    """What a client makes of one response after the other."""
    made = UiMessage()
    for visitor in visitors:
        for chunk in chunks(visitor):
            made.take(chunk.data)
    return made


def completion(visitor: Visitor) -> Completion:
    """What a client makes of a response."""
    made = Completion()
    for chunk in chunks(visitor):
        made.take(chunk.data)
    return made


async def has(visitor: Visitor, text: str) -> Visitor:
    """Wait until a stream tells something."""
    return await visitor.until(lambda visitor: text.encode() in visitor.body)


async def stall(slow: Visitor, fast: Visitor, author: Author) -> None:
    """Let one read nothing until it is far behind, and then go on."""
    slow.reads.clear()
    for number in range(0, 1500, 50):
        await author.say(*(f"{word} " for word in range(number, number + 50)))
    await has(fast, "1499 ")
    slow.reads.set()
