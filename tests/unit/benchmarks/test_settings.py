import pytest

from benchmarks.settings import ENTRIES, SETTINGS, Entry, chosen


def test_a_word_chooses_all_contenders_that_begin_so() -> None:
    assert {entry.name for entry in chosen(("huey",))} == {"huey_fsync", "huey_nosync"}
    assert chosen(("sqlite/goatherd_full",)) == [Entry(setting="sqlite", name="goatherd_full")]


def test_a_setting_with_a_stroke_chooses_that_setting_alone() -> None:
    assert {entry.setting for entry in chosen(("rabbitmq/",))} == {"rabbitmq"}
    assert {entry.setting for entry in chosen(("rabbitmq",))} == {
        setting for setting in SETTINGS if setting.startswith("rabbitmq")
    }


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


def test_servers_are_those_that_the_chosen_need() -> None:
    assert {entry.name: entry.servers for entry in chosen(("lanes/",))} == {
        "goatherd_redis": {"rabbitmq", "redis"},
        "unkeyed_rabbitmq": {"rabbitmq"},
        "plain": {"redis"},
        "goatherd_postgres": {"rabbitmq", "postgres"},
        "goatherd_sqlite": frozenset(),
        "unkeyed_sqlite": frozenset(),
    }
    assert all(entry.servers == {"rabbitmq"} for entry in chosen(("rabbitmq",)))
    assert not any(entry.servers for entry in chosen(("sqlite/", "sse")))
