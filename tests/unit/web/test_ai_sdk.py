"""Each event in the words of the AI SDK."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from goatherd.model.event import Done, Event, Failed, Progress, Queued, Retrying, Snapshot, Started, Token
from goatherd.web.ai_sdk import AiSdk
from goatherd.web.text_part import Heard
from tests.unit.web.chunks import data_of, ids_of, logged, standing

QUEUED = Queued(attempt=0, at=1.0)
STARTED = Started(attempt=1, at=2.0, worker="w")
RETRIED = Started(attempt=2, at=5.0, worker="w")
INTENT = Progress(attempt=1, at=3.0, stage="intent", percent=40.0, fields={"found": 3})
RETRYING = Retrying(attempt=1, at=4.0, error="ValueError", delay=2.0)
SNAPSHOT = Snapshot(attempt=1, at=4.0, stage="answer", percent=50.0, text="so far")
DONE = Done(attempt=1, at=9.0, result=msgspec.Raw(b'{"long":1}'))
FAILED = Failed(attempt=0, at=9.0, reason="failed", error="ValueError", message="no goats")
CANCELLED = Failed(attempt=0, at=9.0, reason="cancelled", error="JobCancelled", message="it was cancelled")

RESET = {"type": "reset-step"}
FINISH = [{"type": "finish-step"}, {"type": "finish", "finishReason": "stop"}, "[DONE]"]
FAIL = [
    {"type": "error", "errorText": "no goats"},
    {"type": "finish-step"},
    {"type": "finish", "finishReason": "error"},
    "[DONE]",
]
ABORT = [{"type": "finish-step"}, {"type": "abort", "reason": "it was cancelled"}, "[DONE]"]


def token(text: str, node: str = "answer") -> Token:
    return Token(attempt=1, at=3.0, text=text, node=node)


def stage(name: str, status: str, progress: float | None = None, **fields: Any) -> dict[str, Any]:
    data = {"stage": name, "status": status, "progress": progress, "fields": fields}
    return {"type": "data-stage", "id": name, "data": data}


def start(part: str) -> dict[str, str]:
    return {"type": "text-start", "id": part}


def delta(part: str, text: str) -> dict[str, str]:
    return {"type": "text-delta", "id": part, "delta": text}


def end(part: str) -> dict[str, str]:
    return {"type": "text-end", "id": part}


STARTED_PART = stage("started", "running")

# What a client has heard, what happens, what it is told, and its mark then.
EVENTS: dict[str, tuple[str, Sequence[Event], list[Any], str]] = {
    "queued": ("a", [QUEUED], [stage("queued", "queued")], "a"),
    "the first attempt": ("a", [STARTED], [STARTED_PART], "a"),
    "a stage": ("a", [INTENT], [stage("intent", "running", 40.0, found=3)], "a+"),
    "a stage with a status": (
        "a+",
        [Progress(attempt=1, at=3.0, stage="intent", status="late")],
        [stage("intent", "late")],
        "a+",
    ),
    "the first token": ("a+", [token("Hi")], [start("answer"), delta("answer", "Hi")], "a=answer"),
    "tokens together": ("a=answer", [token("a"), token("b\n"), token("🐐")], [delta("answer", "ab\n🐐")], "a=answer"),
    "tokens without a node": ("a", [token("Hi", "")], [start("text"), delta("text", "Hi")], "a="),
    "another node": (
        "a=answer",
        [token("a"), token("b", "sources"), token("c", "sources")],
        [delta("answer", "a"), end("answer"), start("sources"), delta("sources", "bc")],
        "a=sources",
    ),
    "a stage within the text": (
        "a=answer",
        [token("a"), INTENT, token("b")],
        [delta("answer", "a"), stage("intent", "running", 40.0, found=3), delta("answer", "b")],
        "a=answer",
    ),
    "after the text so far": ("a*", [token("lo")], [delta("text", "lo")], "a*answer"),
    "another node after it": (
        "a*answer",
        [token("b", "sources")],
        [end("text"), start("sources"), delta("sources", "b")],
        "a=sources",
    ),
    "retrying": (
        "a=answer",
        [RETRYING],
        [stage("retrying", "retrying", error="ValueError", delay=2.0)],
        "a=answer",
    ),
    "the next attempt": ("a=answer", [RETRIED], [RESET, STARTED_PART], "a"),
    "the next attempt speaks": (
        "a=answer",
        [token("old"), RETRIED, token("new")],
        [delta("answer", "old"), RESET, STARTED_PART, start("answer"), delta("answer", "new")],
        "a=answer",
    ),
    "an attempt after one that said nothing": ("a", [STARTED, RETRIED], [STARTED_PART, STARTED_PART], "a"),
    "an attempt after one that only had stages": ("a+", [RETRIED], [RESET, STARTED_PART], "a"),
    "a hole in the log": (
        "a=answer",
        [SNAPSHOT, token("!")],
        [RESET, stage("answer", "running", 50.0), start("text"), delta("text", "so far"), delta("text", "!")],
        "a*answer",
    ),
    "a hole in the log of one who has nothing": (
        "a",
        [Snapshot(attempt=1, at=4.0, stage="", text="")],
        [STARTED_PART],
        "a",
    ),
    "done": ("a=answer", [DONE], [end("answer"), *FINISH], "a+"),
    "done without a text": ("a", [DONE], FINISH, "a"),
    "failed": ("a=answer", [FAILED], [end("answer"), *FAIL], "a+"),
    "cancelled": ("a*", [CANCELLED], [end("text"), *ABORT], "a+"),
}


@pytest.mark.parametrize("case", EVENTS)
def test_events(case: str) -> None:
    heard, events, told, mark = EVENTS[case]
    saying = AiSdk("job").entries(heard, logged(*events))
    assert data_of(saying.body) == told
    assert (saying.heard, saying.over) == (mark, False)
    assert ids_of(saying.body)[-1] == f"5f0c-{len(events)}~{mark}"


# What a client has heard, what has happened, what it is told of it, and its mark then.
STANDING: dict[str, tuple[str, Sequence[Event], list[Any], str]] = {
    "queued": ("a", [QUEUED], [stage("queued", "queued")], "a"),
    "started": ("a", [QUEUED, STARTED], [STARTED_PART], "a"),
    "at a stage": ("a", [STARTED, INTENT], [stage("intent", "running", 40.0)], "a+"),
    "speaking": (
        "a",
        [STARTED, INTENT, token("a"), token("b", "sources")],
        [stage("intent", "running", 40.0), start("text"), delta("text", "ab")],
        "a*",
    ),
    "speaking, to one who was slow": (
        "a=answer",
        [STARTED, token("ab")],
        [RESET, STARTED_PART, start("text"), delta("text", "ab")],
        "a*",
    ),
    "retrying": ("a", [STARTED, RETRYING], [stage("retrying", "retrying", error="ValueError")], "a+"),
    "done": ("a", [STARTED, token("ab"), DONE], [start("text"), delta("text", "ab"), end("text"), *FINISH], "a+"),
    "done, to one who was slow": (
        "a*",
        [STARTED, token("ab"), DONE],
        [RESET, start("text"), delta("text", "ab"), end("text"), *FINISH],
        "a+",
    ),
    "failed": ("a", [STARTED, FAILED], FAIL, "a"),
    "cancelled": ("a", [STARTED, CANCELLED], ABORT, "a"),
}


@pytest.mark.parametrize("case", STANDING)
def test_what_stands_for_events(case: str) -> None:
    heard, events, told, mark = STANDING[case]
    saying = AiSdk("job").snapshot(heard, standing(*events), 10.0)
    assert data_of(saying.body) == told
    assert (saying.heard, saying.over) == (mark, False)
    assert ids_of(saying.body) == [*[None] * (len(told) - 1), f"5f0c-{len(events)}~{mark}"]


def test_a_message_begins_with_the_id_of_the_job() -> None:
    assert data_of(AiSdk("job").opening(1.0)) == [{"type": "start", "messageId": "job"}, {"type": "start-step"}]


def test_one_who_is_sent_away_is_told_that_there_is_more() -> None:
    [told] = data_of(AiSdk("job").farewell("drain"))
    assert told == {
        "type": "error",
        "errorText": "The connection ends here (drain), but the job goes on: resume the stream.",
    }


@pytest.mark.parametrize("node", ["", "answer", "Grüße ~ %=+*\r\n", "🐐"])
@pytest.mark.parametrize("kind", ["=", "*"])
def test_a_mark_is_read_as_it_was_written(kind: str, node: str) -> None:
    mark = Heard(kind, node).mark
    assert Heard.read(mark) == (kind, node)
    assert mark.isascii()
    assert mark.isprintable()


@pytest.mark.parametrize("mark", ["", "o", "o+", "x", "a!", "a~"])
def test_a_mark_of_others_is_refused(mark: str) -> None:
    with pytest.raises(ValueError, match="no mark"):
        AiSdk("job").check(mark)
