"""The native format: an event's name is its stage, and its members are those of the contract."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

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
from goatherd.web.frame import Frame, frame

#: Names with a meaning of their own; a stage that is called so goes by the name `progress`.
# fmt: off
RESERVED = frozenset({
    "done", "error", "keepalive", "message", "open", "progress", "queued", "reconnect", "retrying", "snapshot",
    "started", "token", "token_recovery",
})
# fmt: on
_PLAIN_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,99}", re.ASCII)


class Native:
    """Satisfies `Format`."""

    def entries(self, entries: Sequence[Entry]) -> list[Frame]:
        """Frames for events; tokens that follow on each other become one."""
        frames: list[Frame] = []
        pieces: list[str] = []
        events = [entry.event() for entry in entries]
        for index, (entry, event) in enumerate(zip(entries, events, strict=True)):
            if not isinstance(event, Token):
                frames += _frames(event, entry.position)
                continue
            pieces.append(event.text)
            if not _goes_on(event, events[index + 1 : index + 2]):
                frames.append(_token(event, "".join(pieces), entry.position))
                pieces.clear()
        return frames

    def snapshot(self, reading: Reading, now: float) -> list[Frame]:
        """How the job stands and its whole text, or its end."""
        state = reading.state
        # One who is cut off after the text comes back for the end alone: what is before it must not be told again.
        place = Position(state.epoch, state.seq - 1) if state.closed else state.position
        recovery = _recovery(reading.text or "", state, place, now)
        if not state.closed:
            return [_stage(state, None, now), recovery]
        # An empty text is told too: the client may have that of an attempt which is void. The history knows none.
        return [*([recovery] if reading.text is not None else []), _end(state, now)]

    def tokens(self, reading: Reading, now: float) -> list[Frame]:
        """How the job stands, and the tokens that were read; the last frame has the position of all that is told."""
        state = reading.state
        tokens = self.entries([entry for entry in reading.entries if entry.kind == "token"])
        frames = [*tokens, _end(state, now)] if state.closed else [*_standing(state, now), *tokens]
        return [*frames[:-1], *(last._replace(position=state.position) for last in frames[-1:])]


def _goes_on(event: Token, following: Sequence[Event]) -> bool:
    """Whether the next one is a token of the same text."""
    return any(
        isinstance(token, Token) and (token.node, token.attempt) == (event.node, event.attempt) for token in following
    )


def _token(event: Token, text: str, position: Position) -> Frame:
    return frame(
        "token", position,
        stage="token", content=text, seq=position.seq, node=event.node, attempt=event.attempt, ts=event.at,
    )  # fmt: skip


def _frames(event: Event, position: Position) -> Iterator[Frame]:
    place = {"seq": position.seq, "attempt": event.attempt, "ts": event.at}
    match event:
        case Queued():
            yield frame("queued", position, stage="queued", status="queued", **place)
        case Started():
            yield frame("started", position, stage="started", status="running", worker=event.worker, **place)
        case Progress():
            told = {"stage": event.stage, "status": event.status or "running", "progress": event.percent}
            yield frame(name_of(event.stage), position, **told, fields=event.fields, **place)
        case Retrying():
            told = {"stage": "retrying", "status": "retrying", "error": event.error, "delay": event.delay}
            yield frame("retrying", position, **told, **place)
        case Snapshot():
            yield _running(event.stage, event.percent, None, place)
            text = {"accumulated": event.text, "last_seq": position.seq, "completed": False}
            yield frame("token_recovery", position, **text, **place)
        case Done():
            yield frame("done", position, stage="done", status="completed", result=event.result, **place)
        case Failed():
            told = {"type": "error", "stage": "error", "status": event.reason}
            yield frame("error", position, **told, error=event.error, message=event.message, **place)


def _stage(state: JobState, position: Position | None, now: float) -> Frame:
    """How a job stands that has not ended."""
    place = {"seq": state.seq, "attempt": state.attempt, "ts": now}
    if state.status == "queued":
        return frame("queued", position, stage="queued", status="queued", **place)
    if state.status == "retrying":
        told = {"stage": "retrying", "status": "retrying", "error": state.error, "delay": None}
        return frame("retrying", position, **told, **place)
    return _running(state.stage, state.progress, position, place)


def _standing(state: JobState, now: float) -> list[Frame]:
    """How a job stands, for one who keeps the text that he has: `started` would tell him to throw it away."""
    return [] if state.status == "running" and not state.stage else [_stage(state, None, now)]


def _running(stage: str, percent: float | None, position: Position | None, place: dict[str, Any]) -> Frame:
    if not stage:
        return frame("started", position, stage="started", status="running", worker=None, **place)
    told = {"stage": stage, "status": "running", "progress": percent}
    return frame(name_of(stage), position, **told, fields={}, **place)


def _recovery(text: str, state: JobState, position: Position | None, now: float) -> Frame:
    told = {"accumulated": text, "last_seq": state.seq, "completed": state.closed}
    return frame("token_recovery", position, **told, seq=state.seq, attempt=state.attempt, ts=now)


def _end(state: JobState, now: float) -> Frame:
    place = {"seq": state.seq, "attempt": state.attempt, "ts": now}
    if state.result is not None:
        result = msgspec.Raw(state.result)
        return frame("done", state.position, stage="done", status="completed", result=result, **place)
    told = {"type": "error", "stage": "error", "status": state.status}
    return frame("error", state.position, **told, error=state.error, message=state.message, **place)


def name_of(stage: str) -> str:
    """The name under which a stage is told."""
    return stage if stage not in RESERVED and _PLAIN_WORD.fullmatch(stage) else "progress"
