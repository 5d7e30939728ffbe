"""The native format, event by event."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    encode,
    kind_of,
)
from goatherd.model.job_state import JobState
from goatherd.model.reading import Reading
from goatherd.web.frame import as_stream, frame
from goatherd.web.native import RESERVED, Native, name_of
from tests.unit.web.reader import Reader, Told

NOW = 1_700_000_000.25
PLACE = {"attempt": 2, "ts": NOW}


def entries(*events: Event) -> list[Entry]:
    return [
        Entry(position=Position("e", seq), kind=kind_of(event), body=encode(event))
        for seq, event in enumerate(events, start=7)
    ]


def told(*events: Event) -> list[Told]:
    return read(as_stream(Native().entries(entries(*events))))


def read(stream: bytes) -> list[Told]:
    reader = Reader()
    reader.feed(stream)
    return reader.frames


def make(kind: type[Any], **members: Any) -> Any:
    return kind(attempt=2, at=NOW, **members)


@pytest.mark.parametrize(
    ("event", "name", "content"),
    [
        (make(Queued), "queued", {"stage": "queued", "status": "queued"}),
        (make(Started, worker="w1"), "started", {"stage": "started", "status": "running", "worker": "w1"}),
        (
            make(Progress, stage="fetch", status="started", percent=10, fields={"url": "x"}),
            "fetch",
            {"stage": "fetch", "status": "started", "progress": 10.0, "fields": {"url": "x"}},
        ),
        (
            make(Progress, stage="done"),
            "progress",
            {"stage": "done", "status": "running", "progress": None, "fields": {}},
        ),
        (make(Token, text="Hi", node="answer"), "token", {"stage": "token", "content": "Hi", "node": "answer"}),
        (
            make(Retrying, error="ValueError: x", delay=2.5),
            "retrying",
            {"stage": "retrying", "status": "retrying", "error": "ValueError: x", "delay": 2.5},
        ),
        (
            make(Done, result=msgspec.Raw(b'{"a":\r\n [1]}')),
            "done",
            {"stage": "done", "status": "completed", "result": {"a": [1]}},
        ),
        (
            make(Failed, reason="cancelled", error="E", message="m\nn", traceback="secret"),
            "error",
            {"type": "error", "stage": "error", "status": "cancelled", "error": "E", "message": "m\nn"},
        ),
    ],
)
def test_every_event_has_its_shape(event: Event, name: str, content: dict[str, Any]) -> None:
    assert told(event) == [Told(name, {**content, "seq": 7, **PLACE}, "e-7")]


def test_a_snapshot_in_the_log_is_a_stage_and_the_text() -> None:
    stage, text = told(make(Snapshot, stage="fetch", percent=5, text="so far"))
    assert (stage.event, stage.id, stage.content["progress"]) == ("fetch", None, 5)
    assert (text.event, text.id) == ("token_recovery", "e-7")
    assert text.content == {"accumulated": "so far", "last_seq": 7, "completed": False, "seq": 7, **PLACE}


def test_tokens_that_follow_each_other_become_one() -> None:
    tokens = [make(Token, text=text, node="answer") for text in ("a", "b", "c")]
    other = make(Token, text="x", node="thought")
    frames = told(*tokens, make(Progress, stage="work"), other, *tokens[:1], tokens[1])
    assert [(frame.event, frame.content.get("content"), frame.id) for frame in frames] == [
        ("token", "abc", "e-9"),
        ("work", None, "e-10"),
        ("token", "x", "e-11"),
        ("token", "ab", "e-13"),
    ]


def test_tokens_of_two_attempts_are_not_mixed() -> None:
    frames = told(make(Token, text="a"), Token(attempt=3, at=NOW, text="b"))
    assert [frame.content["content"] for frame in frames] == ["a", "b"]


@pytest.mark.parametrize("name", [*sorted(RESERVED), "", "two words", "a\nb", "ü", "a" * 101, ":x", "-x"])
def test_a_stage_whose_name_could_be_mistaken_goes_by_another(name: str) -> None:
    assert name_of(name) == "progress"


@pytest.mark.parametrize("name", ["fetch", "step_2", "a.b-c", "a:b", "7", "Done"])
def test_a_plain_word_is_a_name(name: str) -> None:
    assert name_of(name) == name


@given(text=st.text(st.characters(exclude_categories=["Cs"])), stage=st.text(st.characters(exclude_categories=["Cs"])))
def test_whatever_is_in_a_text_a_frame_stays_one_frame(text: str, stage: str) -> None:
    token, progress = told(make(Token, text=text), make(Progress, stage=stage, fields={"x": text}))
    assert token.content["content"] == text
    assert (progress.content["stage"], progress.content["fields"]) == (stage, {"x": text})


def state(**members: Any) -> JobState:
    return JobState(**{"epoch": "e", "seq": 9, "status": "running", "attempt": 2, **members})


@pytest.mark.parametrize(
    ("stood", "name", "content"),
    [
        (state(status="queued"), "queued", {"stage": "queued", "status": "queued"}),
        (state(), "started", {"stage": "started", "status": "running", "worker": None}),
        (
            state(stage="fetch", progress=10.0),
            "fetch",
            {"stage": "fetch", "status": "running", "progress": 10.0, "fields": {}},
        ),
        (
            state(status="retrying", error="E: m"),
            "retrying",
            {"stage": "retrying", "status": "retrying", "error": "E: m", "delay": None},
        ),
    ],
)
def test_a_job_as_it_stands(stood: JobState, name: str, content: dict[str, Any]) -> None:
    reading = Reading(state=stood, resumed=False, text="so far")
    stage, text = read(as_stream(Native().snapshot(reading, NOW)))
    assert stage == Told(name, {**content, "seq": 9, **PLACE}, None)
    recovered = {"accumulated": "so far", "last_seq": 9, "completed": False, "seq": 9, **PLACE}
    assert text == Told("token_recovery", recovered, "e-9")


def test_a_job_that_is_done_is_told_with_its_text_and_its_end() -> None:
    reading = Reading(state=state(status="done", result=b"[1,\n2]", closed=True), resumed=False, text="so far")
    text, end = read(as_stream(Native().snapshot(reading, NOW)))
    assert (text.event, text.id, text.content["completed"]) == ("token_recovery", "e-8", True)
    assert end == Told("done", {"stage": "done", "status": "completed", "result": [1, 2], "seq": 9, **PLACE}, "e-9")


def test_a_job_that_failed_without_a_text_voids_what_the_client_has() -> None:
    failed = state(status="expired", error="E", message="m", traceback="secret", closed=True)
    text, end = read(as_stream(Native().snapshot(Reading(state=failed, resumed=False, text=""), NOW)))
    assert (text.event, text.id, text.content["accumulated"]) == ("token_recovery", "e-8", "")
    content = {"type": "error", "stage": "error", "status": "expired", "error": "E", "message": "m"}
    assert end == Told("error", {**content, "seq": 9, **PLACE}, "e-9")


def test_one_who_is_cut_off_within_what_follows_a_token_goes_on_where_that_was() -> None:
    read_on = entries(make(Token, text="a"), make(Progress, stage="work"), make(Token, text="b"))
    for closed, names, ids in [(False, ["work", "token"], [None, "e-10"]), (True, ["token", "done"], ["e-9", "e-10"])]:
        stood = state(seq=10, stage="work", closed=closed, result=b"1" if closed else None)
        reading = Reading(state=stood, resumed=True, entries=read_on)
        frames = read(as_stream(Native().tokens(reading, NOW)))
        assert [frame.event for frame in frames] == names
        assert [frame.id for frame in frames] == ids


def test_a_frame_for_a_poll_has_the_same_content() -> None:
    made = frame("work", Position("e", 7), stage="work", n=1)
    assert json.loads(msgspec.json.encode(made.json)) == {
        "id": "e-7",
        "event": "work",
        "data": {"stage": "work", "n": 1},
    }
    assert read(made.sse) == [Told("work", {"stage": "work", "n": 1}, "e-7")]
