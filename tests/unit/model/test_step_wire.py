"""Messages of steps are read in each of their forms, ours and those of other programs."""

import json

import pytest

from goatherd.model.envelope import FromTheFuture, Unparsable
from goatherd.model.run_record import Trouble, UnitKey
from goatherd.model.step_wire import letter_body, read_note

MESSAGE = {"task_id": "video-7", "step": "tts", "attempt": 2, "pipeline": "dub", "item": 3, "payload": {"a": 1}}
BODY = json.dumps(MESSAGE).encode()


def test_a_step_s_own_message() -> None:
    note = read_note(BODY)
    assert (note.key, note.attempt, bytes(note.payload)) == (UnitKey("video-7", "tts", 3), 2, b'{"a": 1}')


def test_a_dead_letter_is_about_the_message_in_it() -> None:
    letter = letter_body(BODY, Trouble(error_type="GiveUp", message="no sound"), 0.0, 4)
    assert json.loads(letter)["failure_reason"] == "GiveUp: no sound"
    assert read_note(letter).key == UnitKey("video-7", "tts", 3)


@pytest.mark.parametrize("original", [MESSAGE, json.dumps(MESSAGE)])
def test_a_dead_letter_of_another_program_may_hold_it_as_text(original: object) -> None:
    assert read_note(json.dumps({"original_message": original, "attempt": 1}).encode()).key.item == 3


def test_a_unit_to_stand_in_for_may_be_numbered_in_words_of_others() -> None:
    told = {"task_id": "video-7", "segment_idx": 5, "error": "no voice", "routing_key": "task.tts"}
    assert read_note(json.dumps(told).encode()).key == UnitKey("video-7", "", 5)


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b"\xff", b'{"task_id": 7}', b'{"original_message": {}}'])
def test_anything_else_is_no_message_of_a_step(body: bytes) -> None:
    with pytest.raises(Unparsable):
        read_note(body)


def test_a_newer_message_waits_for_a_newer_program() -> None:
    with pytest.raises(FromTheFuture):
        read_note(b'{"v": 99, "task_id": "video-7"}')
