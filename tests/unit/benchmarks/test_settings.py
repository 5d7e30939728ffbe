import pytest

from benchmarks.settings import ENTRIES, Entry, chosen


def test_a_word_chooses_all_contenders_that_begin_so() -> None:
    assert {entry.name for entry in chosen(("huey",))} == {"huey_fsync", "huey_nosync"}
    assert chosen(("sqlite/goatherd_full",)) == [Entry(setting="sqlite", name="goatherd_full")]


def test_a_whole_name_chooses_that_contender_alone() -> None:
    assert chosen(("goatherd", "huey_fsync")) == [
        Entry(setting="sqlite", name="goatherd"),
        Entry(setting="sqlite", name="huey_fsync"),
    ]


def test_no_word_chooses_everyone() -> None:
    assert chosen(()) == list(ENTRIES)


def test_an_unknown_name_lists_those_that_exist() -> None:
    with pytest.raises(ValueError, match="sqlite/huey_fsync"):
        chosen(("huey", "celery"))


def test_goatherd_comes_first_in_every_setting() -> None:
    first = {entry.setting: entry for entry in reversed(ENTRIES)}
    assert all(entry.ours for entry in first.values())
