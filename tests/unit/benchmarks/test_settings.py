import pytest

from benchmarks.settings import ENTRIES, SETTINGS, Entry, chosen


def test_a_word_chooses_all_contenders_that_begin_so() -> None:
    assert {entry.name for entry in chosen(("huey",))} == {"huey_fsync", "huey_nosync"}
    assert chosen(("sqlite/goatherd_full",)) == [Entry(setting="sqlite", name="goatherd_full")]


def test_a_setting_with_a_stroke_chooses_that_setting_alone() -> None:
    assert {entry.setting for entry in chosen(("rabbitmq/",))} == {"rabbitmq"}
    assert {entry.setting for entry in chosen(("rabbitmq",))} == set(SETTINGS) - {"sqlite", "sse", "sse_clients"}


def test_a_whole_name_chooses_the_contender_of_that_name_in_every_setting() -> None:
    assert chosen(("goatherd", "huey_fsync")) == [
        Entry(setting="sqlite", name="goatherd"),
        Entry(setting="sqlite", name="huey_fsync"),
        Entry(setting="rabbitmq", name="goatherd"),
        Entry(setting="rabbitmq_classic", name="goatherd"),
        Entry(setting="rabbitmq_rpc", name="goatherd"),
    ]


def test_no_word_chooses_everyone() -> None:
    assert chosen(()) == list(ENTRIES)


def test_an_unknown_name_lists_those_that_exist() -> None:
    with pytest.raises(ValueError, match="sqlite/huey_fsync"):
        chosen(("huey", "resque"))


def test_goatherd_comes_first_in_every_setting() -> None:
    first = {entry.setting: entry for entry in reversed(ENTRIES)}
    assert all(entry.ours for entry in first.values())


def test_figures_that_stand_beside_others_are_taken_less_often() -> None:
    beside, main = Entry(setting="rabbitmq_classic", name="goatherd"), Entry(setting="rabbitmq", name="goatherd")
    assert [beside.in_repetition(number) for number in range(3)] == [True, False, True]
    assert all(main.in_repetition(number) for number in range(3))


def test_ratios_are_told_of_the_first_unless_the_setting_names_others() -> None:
    told = [(entry.setting, entry.name) for entry in ENTRIES if entry.compared]
    assert told[:2] == [("sqlite", "goatherd"), ("rabbitmq", "goatherd")]
    assert [name for setting, name in told if setting == "rabbitmq_rpc"] == ["goatherd", "goatherd_sync"]
