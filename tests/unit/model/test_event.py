"""Events as JSON, and positions as text."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goatherd.model.event import BEGINNING, Done, Entry, Position, Progress, Token, encode, kind_of
from goatherd.model.ids import new_id


@given(st.text("0123456789abcdef", min_size=1, max_size=20), st.integers(0, 10**15 - 1))
def test_a_position_comes_back_from_its_text(epoch: str, seq: int) -> None:
    assert Position.parse(str(Position(epoch, seq))) == Position(epoch, seq)


NO_POSITIONS = ["", "-", "1", "abc-", "-7", "abc-x", "abc--1", "xyz-1", "abc-1 ", "abc-1-2", "ABC-1", "a-\u0661"]


@pytest.mark.parametrize("text", [*NO_POSITIONS, "abc-" + "9" * 16])
def test_what_is_no_position_is_told(text: str) -> None:
    with pytest.raises(ValueError, match="is no position"):
        Position.parse(text)


def test_the_beginning_is_before_everything() -> None:
    assert BEGINNING.seq == 0


def test_an_event_is_one_line_of_json_with_its_kind() -> None:
    event = Progress(attempt=2, at=1.5, stage="fetch", percent=10, fields={"url": "a\nb"})
    body = encode(event)
    assert b"\n" not in body
    assert msgspec.json.decode(body)["kind"] == "progress" == kind_of(event)
    assert Entry(position=BEGINNING, kind=kind_of(event), body=body).event() == event


def test_a_result_that_others_wrote_on_many_lines_becomes_one() -> None:
    body = encode(Done(attempt=1, at=0, result=msgspec.Raw(b'{\n  "a": [1,\n 2]\n}')))
    assert b"\n" not in body
    assert msgspec.json.decode(body)["result"] == {"a": [1, 2]}


def test_half_a_character_is_refused_before_anything_is_written() -> None:
    with pytest.raises(UnicodeEncodeError):
        encode(Token(attempt=1, at=0, text="\ud800"))


def test_ids_of_runs_grow_with_time(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = []
    for milliseconds in range(5):
        monkeypatch.setattr("time.time_ns", lambda now=milliseconds: (1_700_000_000_000 + now) * 1_000_000)
        ids.append(new_id())
    assert ids == sorted(ids)
