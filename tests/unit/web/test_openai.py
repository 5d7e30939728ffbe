"""Each event in the words of OpenAI's chunks."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from goatherd.model.event import Done, Event, Failed, Progress, Queued, Retrying, Snapshot, Started, Token
from goatherd.web.openai import OpenAi
from tests.unit.web.chunks import data_of, ids_of, logged, standing

QUEUED = Queued(attempt=0, at=1.0)
STARTED = Started(attempt=1, at=2.0, worker="w")
RETRIED = Started(attempt=2, at=5.0, worker="w")
INTENT = Progress(attempt=1, at=3.0, stage="intent", percent=40.0)
RETRYING = Retrying(attempt=1, at=4.0, error="ValueError", delay=2.0)
SNAPSHOT = Snapshot(attempt=1, at=4.5, stage="answer", text="so far")
DONE = Done(attempt=1, at=9.0, result=msgspec.Raw(b"{}"))
FAILED = Failed(attempt=0, at=9.0, reason="failed", error="ValueError", message="no goats")
CANCELLED = Failed(attempt=0, at=9.0, reason="cancelled", error="JobCancelled", message="it was cancelled")

FORMAT = OpenAi("job", "goat-1")


def token(text: str, at: float = 3.7) -> Token:
    return Token(attempt=1, at=at, text=text, node="answer")


def delta(created: int, reason: str | None = None, **members: str) -> dict[str, Any]:
    return {
        "id": "job",
        "object": "chat.completion.chunk",
        "created": created,
        "model": "goat-1",
        "choices": [{"index": 0, "delta": members, "logprobs": None, "finish_reason": reason}],
    }


def error(code: str, message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "server_error", "param": None, "code": code}}


STOP = [delta(9, "stop"), "[DONE]"]
FAIL = [error("job_failed", "no goats"), "[DONE]"]
VOID = error("text_void", "Another attempt begins, and the text so far is void: ask again for the whole text.")
LOST = error("text_void", "Part of the text was lost on the way: ask again for the whole text.")
SLOW = error(
    "text_void", "The stream was read too slowly, and the middle of the text was missed: ask again for the whole text."
)

# What a client has heard, what happens, what it is told, the id of the last chunk, and its mark then.
EVENTS: dict[str, tuple[str, Sequence[Event], list[Any], str | None, str]] = {
    "before the text": ("o", [QUEUED, STARTED, INTENT], [], None, "o"),
    "tokens together": ("o", [token("a"), token("b\n", at=4.0)], [delta(4, content="ab\n")], "5f0c-2~o+", "o+"),
    "a stage within the text": (
        "o+",
        [token("a"), INTENT, token("b")],
        [delta(3, content="a"), delta(3, content="b")],
        "5f0c-3~o+",
        "o+",
    ),
    "an attempt after one that told no text": (
        "o",
        [RETRYING, RETRIED, token("a")],
        [delta(3, content="a")],
        "5f0c-3~o+",
        "o+",
    ),
    "a hole in the log of one who has nothing": ("o", [SNAPSHOT], [delta(4, content="so far")], "5f0c-1~o+", "o+"),
    "done": ("o+", [DONE], STOP, "5f0c-1~o+", "o+"),
    "done without a text": ("o", [DONE], STOP, "5f0c-1~o", "o"),
    "failed": ("o+", [token("a"), FAILED], [delta(3, content="a"), *FAIL], "5f0c-2~o+", "o+"),
    "cancelled": ("o+", [CANCELLED], [error("job_cancelled", "it was cancelled"), "[DONE]"], "5f0c-1~o+", "o+"),
}


@pytest.mark.parametrize("case", EVENTS)
def test_events(case: str) -> None:
    heard, events, told, last_id, mark = EVENTS[case]
    saying = FORMAT.entries(heard, logged(*events))
    assert data_of(saying.body) == told
    assert ids_of(saying.body)[-1:] == ([] if last_id is None else [last_id])
    assert (saying.heard, saying.over) == (mark, False)


# What happens to one who has text, and what it is told: nothing after the error, however much there is.
VOIDS: dict[str, tuple[Sequence[Event], list[Any]]] = {
    "an attempt failed": ([token("a"), RETRYING, RETRIED, token("b"), DONE], [delta(3, content="a"), VOID]),
    "another attempt began": ([RETRIED, token("b")], [VOID]),
    "a hole in the log": ([SNAPSHOT, token("b")], [LOST]),
}


@pytest.mark.parametrize("case", VOIDS)
def test_a_text_that_is_void_ends_the_stream(case: str) -> None:
    events, told = VOIDS[case]
    saying = FORMAT.entries("o+", logged(*events))
    assert data_of(saying.body) == told
    assert saying.over
    # A browser that comes back by itself has forgotten its place, and gets the whole text.
    assert ids_of(saying.body)[-1] == ""


# What has happened, and what one who comes then is told of it.
STANDING: dict[str, tuple[Sequence[Event], list[Any], str]] = {
    "queued": ([QUEUED], [], "o"),
    "speaking": ([STARTED, token("a"), token("b")], [delta(10, content="ab")], "o+"),
    "waiting for the next attempt": ([STARTED, token("a"), RETRYING], [], "o"),
    "done": ([STARTED, token("ab"), DONE], [delta(10, content="ab"), delta(10, "stop"), "[DONE]"], "o+"),
    "failed": ([STARTED, token("ab"), FAILED], [delta(10, content="ab"), *FAIL], "o+"),
    "failed without a text": ([STARTED, FAILED], FAIL, "o"),
}


@pytest.mark.parametrize("case", STANDING)
def test_what_stands_for_events(case: str) -> None:
    events, told, mark = STANDING[case]
    saying = FORMAT.snapshot("o", standing(*events), 10.0)
    assert data_of(saying.body) == told
    assert (saying.heard, saying.over) == (mark, False)
    assert ids_of(saying.body)[-1:] == ([f"5f0c-{len(events)}~{mark}"] if told else [])


@pytest.mark.parametrize("case", STANDING)
def test_one_who_was_slow_gets_no_text_with_a_hole(case: str) -> None:
    saying = FORMAT.snapshot("o+", standing(*STANDING[case][0]), 10.0)
    assert data_of(saying.body) == [SLOW]
    assert (saying.over, ids_of(saying.body)) == (True, [""])


def test_the_first_chunk_has_the_role() -> None:
    assert data_of(FORMAT.opening(7.9)) == [delta(7, role="assistant", content="")]


def test_one_who_is_sent_away_is_told_that_there_is_more() -> None:
    told = "The connection ends here (token), but the job goes on: ask again for the whole text."
    assert data_of(FORMAT.farewell("token")) == [error("reconnect", told)]


def test_streams_of_other_models_are_made_apart() -> None:
    assert FORMAT.key == OpenAi("another job", "goat-1").key
    assert FORMAT.key != OpenAi("job", "goat-2").key


@pytest.mark.parametrize("mark", ["", "a", "a+", "oo"])
def test_a_mark_of_others_is_refused(mark: str) -> None:
    with pytest.raises(ValueError, match="no mark"):
        FORMAT.check(mark)
