"""The checker of clients must see what is wrong, and only that."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from tests.faults.live.script import Garbled, Mark, Script
from tests.faults.live.view import Frame, View

SCRIPT = Script("a", 5, 3)


def id_of(seq: int) -> str:
    return f"e-{seq}"


def turn(event: str, seq: int, attempt: int = 1) -> Frame:
    return Frame(id_of(seq), event, {"attempt": attempt, "ts": float(seq)})


def said(number: int, seq: int, generation: int = 1) -> Frame:
    mark = Mark(generation, number)
    if SCRIPT.is_stage(number):
        return Frame(id_of(seq), SCRIPT.stage(mark), {"progress": SCRIPT.percent(mark)})
    return Frame(id_of(seq), "token", {"content": SCRIPT.piece(mark), "seq": seq})


def folded(*numbers: int, seq: int) -> Frame:
    text = "".join(SCRIPT.piece(Mark(1, number)) for number in numbers)
    return Frame(id_of(seq), "token", {"content": text, "seq": seq})


def recovery(text: str, seq: int) -> Frame:
    return Frame(id_of(seq), "token_recovery", {"accumulated": text, "last_seq": seq})


def snapshot(through: int, seq: int, generation: int = 1) -> list[Frame]:
    stages = [number for number in range(1, through + 1) if SCRIPT.is_stage(number)]
    first = [Frame("", SCRIPT.stage(Mark(generation, stages[-1])), {"progress": 0.0})] if stages else []
    return [*first, recovery(SCRIPT.text(generation, through), seq)]


def done(seq: int, generation: int = 1) -> Frame:
    return Frame(id_of(seq), "done", {"result": SCRIPT.result(generation)})


WHOLE = [turn("queued", 1), turn("started", 2), *(said(number, number + 2) for number in range(1, 6)), done(8)]


def seen(frames: Iterable[Frame], *, from_the_start: bool = True) -> View:
    view = View(SCRIPT, from_the_start=from_the_start)
    for frame in frames:
        view.take(frame)
    return view


def kinds(view: View) -> list[str]:
    return [fault.kind for fault in view.faults]


def test_all_that_was_written_is_without_fault() -> None:
    view = seen(WHOLE)
    assert (view.faults, view.done, view.text) == ([], True, SCRIPT.text(1))


def test_a_snapshot_and_what_follows_is_without_fault() -> None:
    assert seen([*snapshot(3, 5), *WHOLE[5:]], from_the_start=False).faults == []


def test_a_snapshot_of_a_job_that_has_ended_is_without_fault() -> None:
    text = replace(recovery(SCRIPT.text(1), 8), id="")
    assert seen([text, done(8)], from_the_start=False).faults == []


def test_folded_tokens_are_without_fault() -> None:
    assert seen([*WHOLE[:2], folded(1, 2, seq=4), *WHOLE[4:]]).faults == []


def test_a_second_attempt_is_without_fault() -> None:
    again = [turn("retrying", 5), turn("started", 6, 2), *(said(number, number + 6, 2) for number in range(1, 6))]
    view = seen([*WHOLE[:4], *again, done(12, 2)])
    assert (view.faults, view.tails) == ([], {1: 2})


@pytest.mark.parametrize("missing", range(1, 7))
def test_whatever_is_missing_is_noticed(missing: int) -> None:
    assert {"lost", "wrong"} & set(kinds(seen([*WHOLE[:missing], *WHOLE[missing + 1 :]])))


@pytest.mark.parametrize("twice", range(8))
def test_whatever_comes_twice_is_noticed(twice: int) -> None:
    view = seen([*WHOLE[: twice + 1], *WHOLE[twice:]])
    assert "repeated" in kinds(view)


def test_what_comes_late_is_noticed() -> None:
    view = seen([*WHOLE[:3], WHOLE[4], WHOLE[3], *WHOLE[5:]])
    assert {"lost", "reordered"} <= set(kinds(view))


def test_a_snapshot_from_the_past_is_noticed() -> None:
    view = seen([*WHOLE[:6], *snapshot(1, 7), *WHOLE[6:]])
    assert "repeated" in kinds(view)


def test_text_of_an_attempt_that_is_over_is_noticed() -> None:
    view = seen([*WHOLE[:4], turn("started", 5, 2), said(1, 6, 2), said(3, 7, 1)])
    assert "repeated" in kinds(view)


def test_a_snapshot_with_the_text_of_two_attempts_is_noticed() -> None:
    text = SCRIPT.text(1, 2) + SCRIPT.text(2, 2)
    view = seen([recovery(text, 9)], from_the_start=False)
    assert kinds(view) == ["wrong"]


def test_a_changed_character_is_noticed() -> None:
    text = SCRIPT.text(1)
    with pytest.raises(Garbled):
        SCRIPT.marks(text[:-1] + "!" + text[-1])


def test_an_end_before_the_last_word_is_noticed() -> None:
    assert "lost" in kinds(seen([*WHOLE[:6], done(7)]))
