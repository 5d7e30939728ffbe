"""OpenAI's chat completion chunks, which its client libraries read.

A client of this format appends and can take nothing back. So when the text that it has is void, because another attempt
has begun or because it was too slow and missed the middle, the stream ends with an error: whoever asks again gets the
whole text from its start. To go on in silence would mix two texts, and to finish in good order would make half a text
look like the answer; both would be believed. An attempt that has told no text can fail without anybody noticing.

The chunks say nothing of stages. Their `created` is when the piece was written.
"""

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

from goatherd.model.event import Done, Entry, Event, Failed, Position, Retrying, Snapshot, Started, Token
from goatherd.model.reading import Reading
from goatherd.web.asgi import Headers
from goatherd.web.dialect import DONE, Saying, chunk, group

#: The marks of a client that has no text, and of one that has some.
CLEAN, SPOKEN = "o", "o+"


class OpenAi:
    """Satisfies `Dialect`."""

    headers: ClassVar[Headers] = []
    fresh = CLEAN
    only_active = False

    def __init__(self, job_id: str, model: str) -> None:
        self._job_id = job_id
        self._model = model

    @property
    def key(self) -> Hashable:
        """See `Dialect`."""
        return "openai", self._model

    def check(self, mark: str) -> None:
        """See `Dialect`."""
        if mark not in (CLEAN, SPOKEN):
            raise ValueError(f"{mark!r} is no mark of this format")

    def opening(self, now: float) -> bytes:
        """See `Dialect`."""
        return chunk(self.chunk(now, {"role": "assistant", "content": ""}))

    def entries(self, heard: str, entries: Sequence[Entry]) -> Saying:
        """See `Dialect`. Tokens that follow on each other become one chunk."""
        telling = _Telling(self, heard)
        for entry in entries:
            telling.tell(entry.event(), entry.position)
            if telling.over:
                break
        return telling.said()

    def snapshot(self, heard: str, reading: Reading, now: float) -> Saying:
        """See `Dialect`."""
        telling, state = _Telling(self, heard), reading.state
        telling.void("The stream was read too slowly, and the middle of the text was missed")
        # While the next attempt is awaited, the text of the failed one is as good as void.
        telling.text("" if state.status == "retrying" else reading.text or "", now, state.position)
        if state.closed:
            telling.end(state.status, state.message or state.error, now, state.position)
        return telling.said()

    def farewell(self, reason: str) -> bytes:
        """See `Dialect`."""
        told = f"The connection ends here ({reason}), but the job goes on: ask again for the whole text."
        return chunk(error("reconnect", told))

    def chunk(self, at: float, delta: dict[str, str], finish_reason: str | None = None) -> dict[str, Any]:
        """A chat completion chunk."""
        return {
            "id": self._job_id,
            "object": "chat.completion.chunk",
            "created": int(at),
            "model": self._model,
            "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}],
        }


class _Telling:
    """Chunks in the making."""

    def __init__(self, format: OpenAi, heard: str) -> None:
        self._format = format
        self._heard = heard
        self._body: list[bytes] = []
        #: Tokens that are to become one chunk, when and where the last was written.
        self._pieces: list[str] = []
        self._last: tuple[float, Position] | None = None
        #: Whether nothing more can be said.
        self.over = False

    def said(self) -> Saying:
        """All of it."""
        self._flush()
        return Saying(b"".join(self._body), self._heard, self.over)

    def tell(self, event: Event, position: Position) -> None:
        """One event more."""
        if isinstance(event, Token):
            self._pieces.append(event.text)
            self._last = event.at, position
            self._heard = SPOKEN
            return
        self._flush()
        match event:
            case Started() | Retrying():
                self.void("Another attempt begins, and the text so far is void")
            case Snapshot():
                self.void("Part of the text was lost on the way")
                self.text(event.text, event.at, position)
            case Done():
                self.end("done", "", event.at, position)
            case Failed():
                self.end(event.reason, event.message or event.error, event.at, position)

    def void(self, why: str) -> None:
        """What the client has is no more; if it has anything, this is the end."""
        if self._heard == SPOKEN and not self.over:
            # Without an id, whoever comes back by itself begins with the whole text.
            self._body.append(chunk(error("text_void", f"{why}: ask again for the whole text."), ""))
            self._heard, self.over = CLEAN, True

    def text(self, text: str, at: float, position: Position) -> None:
        """The whole text so far."""
        if text and not self.over:
            self._heard = SPOKEN
            self._body.append(group([self._format.chunk(at, {"content": text})], position, SPOKEN))

    def end(self, status: str, why: str, at: float, position: Position) -> None:
        """The job has ended."""
        if not self.over:
            done = status == "done"
            last = self._format.chunk(at, {}, "stop") if done else error(f"job_{status}", why or status)
            self._body.append(group([last, DONE], position, self._heard))

    def _flush(self) -> None:
        if self._last is not None:
            at, position = self._last
            self._body.append(group([self._format.chunk(at, {"content": "".join(self._pieces)})], position, SPOKEN))
            self._pieces.clear()
            self._last = None


def error(code: str, message: str) -> dict[str, Any]:
    """As OpenAI's servers tell one in a stream."""
    return {"error": {"message": message, "type": "server_error", "param": None, "code": code}}
