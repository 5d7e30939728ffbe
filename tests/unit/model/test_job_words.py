"""Which words a job has, and which texts find it."""

import inspect
import sys

import pytest

from goatherd.model.job_marks import beginning_of_id_mark, marks_of, marks_refused, marks_sought
from goatherd.model.job_order import is_sought, number_of
from goatherd.model.job_record import About, JobRecord
from goatherd.model.job_search import JobFilter, JobPlace
from goatherd.model.job_state import JobState
from goatherd.model.job_words import is_id_of, sought, words_from, words_in, words_of


def record(job: str = "order-17", arguments: bytes = b"", error: str = "", **about: str) -> JobRecord:
    state = JobState(epoch="aa", seq=1, status="failed" if error else "queued", error=error)
    told = About(arguments=arguments, **about)  # type: ignore[arg-type]
    return JobRecord(job=job, state=state, at=1.0, created=1.0, about=told)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("send_mail", ["send", "mail"]),
        ("A@b.C, 3.5", ["a", "b", "c", "3", "5"]),
        ("STRASSE straße", ["strasse", "strasse"]),
        ("ﬁne e\u0301té", ["fine", "été"]),
        ("日本語 x", ["日本語", "x"]),
        ("a\0b \ud83d § ·", ["a", "b"]),
        ("y" * 45, ["y" * 40, "y" * 5]),
    ],
)
def test_a_text_has_words(text: str, words: list[str]) -> None:
    assert words_in(text) == words


def test_a_job_has_the_words_of_all_that_is_said_of_it_each_once() -> None:
    made = record(arguments=b'{"to":"a@b.c","n":[1,true,null]}', task="mail", key="k/to=a", error="a ValueError")
    assert words_of(made) == ["mail", "k", "to", "a", "valueerror", "b", "c", "n", "1", "true", "null"]
    assert words_of(record(arguments=rb'{"x":"one\ntwo \u00fc"}')) == ["x", "one", "two", "ü"]
    assert words_of(record(arguments=b'broken "\\n')) == ["broken", "n"]


def test_short_words_are_looked_for_as_they_are_and_long_ones_may_go_on() -> None:
    found = sought("at ordER at")
    assert (list(found.words), list(found.beginnings), found.id) == (["at"], ["order"], "")
    assert found.has_words(["at", "orders"])
    assert not found.has_words(["att", "orders"])
    assert not found.has_words(["at", "rorder"])
    assert sought("  ").anything
    assert sought("? !").anything
    assert not sought("?").anything


@pytest.mark.parametrize("text", ["01900000", "01900000-0000-7000", "89abcdef", "abcdef", "order"])
def test_an_id_is_known_by_its_beginning_and_its_end(text: str) -> None:
    assert is_id_of(text, "01900000-0000-7000-8000-0123456789abcdef") is (text != "order")


@pytest.mark.parametrize("text", ["", "0190000", "bcdef", "0000-7000"])
def test_less_of_an_id_is_not_enough(text: str) -> None:
    assert not is_id_of(text, "01900000-0000-7000-8000-0123456789abcdef")


def test_marks_are_never_words_and_a_longer_end_of_an_id_begins_like_a_shorter_one() -> None:
    made = record(job="Order-17_é", task="mail", queue="slow", key="k", error="x")
    marks = marks_of(made)
    assert all(mark.startswith("§") for mark in marks)
    for length in range(6, len(made.job) + 1):
        beginning = beginning_of_id_mark(sought(made.job[-length:]))
        assert beginning is not None
        assert marks[0].startswith(beginning)
    assert beginning_of_id_mark(sought("short")) is None
    choice = JobFilter(task="mail", queue="slow", kind="job", key="k", status="failed")
    assert set(marks_sought(choice)) < set(marks)
    assert not set(marks_refused(JobFilter(status="done"))).isdisjoint(marks)
    assert marks_refused(choice) == marks_refused(JobFilter()) == []


def test_numbers_grow_with_time_and_nonsense_is_before_all() -> None:
    assert number_of(1_700_000_000.000002) > number_of(1_700_000_000.000001) > number_of(1.0) > 0
    assert [number_of(at) for at in (float("nan"), float("inf"), -5.0, 1e300, 0.0)] == [0] * 5
    assert number_of(7.9e9) < 1 << 63


def test_a_job_is_looked_for_by_all_that_is_asked() -> None:
    made = record(task="mail", queue="slow")
    assert is_sought(made, JobFilter(text="mail", task="mail", since=1.0, until=1.5))
    for choice in (
        JobFilter(task="other"), JobFilter(status="done"), JobFilter(key="k"), JobFilter(kind="run"),
        JobFilter(queue="fast"), JobFilter(text="other"), JobFilter(since=1.1), JobFilter(until=1.0),
    ):  # fmt: skip
        assert not is_sought(made, choice)


def test_a_place_comes_back_from_a_link() -> None:
    place = JobPlace(1_700_000_000_000_000_123, "a-b c")
    assert JobPlace.parse(str(place)) == place
    for text in ("", "x-y", "12", "-1-x", "²-x", "9" * 30 + "-x", f"{1 << 63}-x"):
        with pytest.raises(ValueError, match="begin with the newest"):
            JobPlace.parse(text)


def test_arguments_that_are_nested_without_end_are_no_trouble() -> None:
    nested = b"[" * 900 + b'"a\\u0062"' + b"]" * 900

    def deep(frames: int) -> list[str]:
        return deep(frames - 1) if frames else words_from("mail", "", nested, "", "")

    # Whoever writes the history may be deeper in calls than whoever sent it.
    assert "mail" in deep(sys.getrecursionlimit() - 400 - len(inspect.stack()))
