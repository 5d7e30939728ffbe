"""The AI SDK's UI message stream, version 1, which its `useChat` reads.

A job is one message with one step. The text is in one text part, and in another one whenever the node changes, so that
the parts joined are the job's text. A stage is a data part, and the next word on the same stage replaces it.

An attempt that begins after another one has spoken sends `reset-step`, which takes all parts of the step away; the
package knows it from version 7 on. Older ones, which can take nothing back, fail at this chunk as at any that they do
not know, and a page that then resumes gets the text of the new attempt: nothing is ever mixed.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar

from goatherd.model.event import (
    Done,
    Entry,
    Event,
    Failed,
    Position,
    Progress,
    Queued,
    Retrying,
    Snapshot,
    Started,
    Token,
)
from goatherd.model.job_state import JobState
from goatherd.model.reading import Reading
from goatherd.web.asgi import Headers
from goatherd.web.dialect import DONE, Saying, chunk, group
from goatherd.web.text_part import CLEAN, OPEN, SPOKEN, TEXT, WHOLE, Heard

#: Stages of the platform's own, which are the same in every attempt.
_PLAIN = ("queued", "started")


class AiSdk:
    """Satisfies `Dialect`."""

    key: Hashable = "ai-sdk"
    headers: ClassVar[Headers] = [(b"x-vercel-ai-ui-message-stream", b"v1")]
    fresh = Heard().mark
    # `useChat` asks at every load of a page whether there is anything to resume.
    only_active = True

    def __init__(self, job_id: str) -> None:
        self._job_id = job_id

    def check(self, mark: str) -> None:
        """See `Dialect`."""
        Heard.read(mark)

    def opening(self, now: float) -> bytes:
        """See `Dialect`."""
        return chunk({"type": "start", "messageId": self._job_id}) + chunk({"type": "start-step"})

    def entries(self, heard: str, entries: Sequence[Entry]) -> Saying:
        """See `Dialect`. Tokens that follow on each other become one chunk."""
        telling = _Telling(Heard.read(heard))
        for entry in entries:
            telling.tell(entry.event(), entry.position)
        return telling.said()

    def snapshot(self, heard: str, reading: Reading, now: float) -> Saying:
        """See `Dialect`. One who has anything loses it, and gets the whole text in one chunk."""
        telling, state = _Telling(Heard.read(heard)), reading.state
        telling.stand(state, reading.text or "")
        return telling.said()

    def farewell(self, reason: str) -> bytes:
        """See `Dialect`. Without an error, `useChat` would take the text so far for the whole."""
        told = f"The connection ends here ({reason}), but the job goes on: resume the stream."
        return chunk({"type": "error", "errorText": told})


class _Telling:
    """Chunks in the making: those of the event at hand, and all before them."""

    def __init__(self, heard: Heard) -> None:
        self._heard = heard
        self._body: list[bytes] = []
        self._group: list[bytes | dict[str, Any]] = []
        #: Tokens that are to become one chunk, and the position of the last.
        self._pieces: list[str] = []
        self._position: Position | None = None

    def said(self) -> Saying:
        """All of it."""
        self._flush()
        return Saying(b"".join(self._body), self._heard.mark)

    def tell(self, event: Event, position: Position) -> None:
        """One event more."""
        if isinstance(event, Token):
            self._token(event)
            self._position = position
            return
        self._flush()
        self._tell(event)
        self._close(position)

    def stand(self, state: JobState, text: str) -> None:
        """How the job stands, in the place of all events so far."""
        self._void()
        match state.status:
            case "queued":
                self._stage("queued", "queued")
            case "retrying":
                self._stage("retrying", "retrying", fields={"error": state.error})
            case "running":
                self._stage(state.stage or "started", "running", state.progress)
        self._whole(text)
        if state.closed:
            self._end(state.status, state.message or state.error)
        self._close(state.position)

    def _tell(self, event: Event) -> None:
        match event:
            case Queued():
                self._stage("queued", "queued")
            case Started():
                self._void()
                self._stage("started", "running")
            case Progress():
                self._stage(event.stage, event.status or "running", event.percent, event.fields)
            case Retrying():
                self._stage("retrying", "retrying", fields={"error": event.error, "delay": event.delay})
            case Snapshot():
                self._void()
                self._stage(event.stage or "started", "running", event.percent)
                self._whole(event.text)
            case Done():
                self._end("done")
            case Failed():
                self._end(event.reason, event.message or event.error)

    def _void(self) -> None:
        """What the client has of an attempt is no more."""
        if self._heard.kind != CLEAN:
            self._group.append({"type": "reset-step"})
        self._heard = Heard()

    def _stage(
        self, stage: str, status: str, progress: float | None = None, fields: Mapping[str, Any] | None = None
    ) -> None:
        told = {"stage": stage, "status": status, "progress": progress, "fields": fields or {}}
        self._group.append({"type": "data-stage", "id": stage, "data": told})
        if self._heard.kind == CLEAN and stage not in _PLAIN:
            self._heard = Heard(SPOKEN)

    def _whole(self, text: str) -> None:
        if text:
            self._heard = Heard(WHOLE)
            self._group.append({"type": "text-start", "id": TEXT})
            self._group.append({"type": "text-delta", "id": TEXT, "delta": text})

    def _token(self, token: Token) -> None:
        if not self._heard.goes_on(token.node):
            self._flush()
            self._end_part()
            self._heard = Heard(OPEN)
            self._group.append({"type": "text-start", "id": token.node or TEXT})
        self._heard = Heard(self._heard.kind, token.node)
        self._pieces.append(token.text)

    def _end(self, status: str, why: str = "") -> None:
        self._end_part()
        if status == "cancelled":
            # Somebody has stopped it: no failure, and the text so far stands.
            self._group += [{"type": "finish-step"}, {"type": "abort", "reason": why}, DONE]
            return
        if status != "done":
            self._group.append({"type": "error", "errorText": why or status})
        reason = "stop" if status == "done" else "error"
        self._group += [{"type": "finish-step"}, {"type": "finish", "finishReason": reason}, DONE]

    def _end_part(self) -> None:
        if self._heard.part:
            self._group.append({"type": "text-end", "id": self._heard.part})
            self._heard = Heard(SPOKEN)

    def _flush(self) -> None:
        if self._position is not None:
            self._group.append({"type": "text-delta", "id": self._heard.part, "delta": "".join(self._pieces)})
            self._close(self._position)
            self._pieces.clear()
            self._position = None

    def _close(self, position: Position) -> None:
        self._body.append(group(self._group, position, self._heard.mark))
        self._group.clear()
