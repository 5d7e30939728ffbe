"""Times of schedules from settings: variable, then file, then what the program says."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from goatherd.config import Sources, read_settings, read_timing
from goatherd.errors import SettingsError
from goatherd.model.schedule import Cron, Delay, Rate, ScheduleRule

DAILY = ScheduleRule(timing=Cron("@daily", "Asia/Tokyo"), overlap="queue", misfire=3)
MINUTE = ScheduleRule(timing=Rate(60), jitter=2)


class Desk:
    """A working folder with a settings file."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "goatherd.toml"

    def write(self, text: str) -> None:
        self.file.write_text(text, encoding="utf-8")

    def read(self, rule: ScheduleRule, setting: str, environment: Mapping[str, str] | None = None) -> ScheduleRule:
        return read_timing("archive", rule, setting, Sources({}, environment or {}, self.file))

    def problem(self, rule: ScheduleRule, setting: str, environment: Mapping[str, str] | None = None) -> str:
        with pytest.raises(SettingsError) as caught:
            self.read(rule, setting, environment)
        [problem] = caught.value.problems
        return problem


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_without_the_setting_the_program_decides(desk: Desk) -> None:
    assert desk.read(DAILY, "ARCHIVE_CRON") is DAILY
    desk.write("[schedules]\nother = '@hourly'")
    assert desk.read(DAILY, "ARCHIVE_CRON", {"ARCHIVE_CRON": " ", "OTHER": "@hourly"}) is DAILY


def test_the_setting_changes_the_times_and_nothing_else(desk: Desk) -> None:
    read = desk.read(DAILY, "ARCHIVE_CRON", {"ARCHIVE_CRON": " 0 0 3 * * * "})
    assert read == ScheduleRule(timing=Cron("0 0 3 * * *", "Asia/Tokyo"), overlap="queue", misfire=3)
    assert desk.read(MINUTE, "PACE", {"PACE": "5"}) == ScheduleRule(timing=Rate(5), jitter=2)


def test_the_very_name_wins_over_capitals_which_win_over_the_file(desk: Desk) -> None:
    desk.write("[schedules]\n'batch.cron.archive-data' = '@hourly'")
    name = "batch.cron.archive-data"
    assert desk.read(DAILY, name).timing == Cron("@hourly", "Asia/Tokyo")
    environment = {"BATCH_CRON_ARCHIVE_DATA": "@weekly"}
    assert desk.read(DAILY, name, environment).timing == Cron("@weekly", "Asia/Tokyo")
    environment[name] = "@yearly"
    assert desk.read(DAILY, name, environment).timing == Cron("@yearly", "Asia/Tokyo")
    # An empty one is not set.
    environment[name] = ""
    assert desk.read(DAILY, name, environment).timing == Cron("@weekly", "Asia/Tokyo")


def test_a_name_with_dots_needs_no_quotes_in_the_file(desk: Desk) -> None:
    desk.write("[schedules]\njobs.gift-aggregation.fixedDelay = '5000ms'\n[schedules.batch.cron]\narchive = '-'")
    assert desk.read(ScheduleRule(timing=Delay(1)), "jobs.gift-aggregation.fixedDelay").timing == Delay(5)
    assert desk.read(DAILY, "batch.cron.archive").timing == Cron("-", "Asia/Tokyo")
    assert desk.read(DAILY, "batch.cron.archive.more").timing == DAILY.timing


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("5", 5), ("5000ms", 5), ("5s", 5), ("1.5m", 90), ("2 h", 7200), (".5S", 0.5), ("0.1ms", 0.0001)],
)
def test_a_span_may_have_a_unit(desk: Desk, value: str, seconds: float) -> None:
    assert desk.read(ScheduleRule(timing=Delay(1)), "PACE", {"PACE": value}).timing == Delay(seconds)


def test_a_span_in_the_file_may_be_a_number(desk: Desk) -> None:
    desk.write("[schedules]\nwhole = 7\npart = 0.5")
    assert desk.read(MINUTE, "whole").timing == Rate(7)
    assert desk.read(MINUTE, "part").timing == Rate(0.5)


@pytest.mark.parametrize("value", ["soon", "5 d", "-5", "1e3", "5s5s", "nan", "\u0665"])
def test_a_wrong_span_is_told_with_its_variable_and_what_is_expected(desk: Desk, value: str) -> None:
    problem = desk.problem(MINUTE, "my.pace", {"MY_PACE": value})
    assert problem.startswith(f"MY_PACE is {value!r}, for the schedule 'archive': ")
    assert "5000ms, 5s, 1.5m, 2h" in problem


def test_other_mistakes(desk: Desk) -> None:
    assert "at least 0.001 seconds" in desk.problem(MINUTE, "PACE", {"PACE": "0"})
    told = desk.problem(DAILY, "ARCHIVE_CRON", {"ARCHIVE_CRON": "0 0 25 * * *"})
    assert told.startswith("ARCHIVE_CRON is '0 0 25 * * *', for the schedule 'archive': the expression")
    assert "the hours is '25'" in told
    desk.write("[schedules]\ncron = 5\npace = true\nlist = [1]")
    assert desk.problem(DAILY, "cron").startswith("cron in goatherd.toml is 5, for the schedule 'archive': a cron")
    assert "a number of seconds is expected" in desk.problem(MINUTE, "pace")
    assert "a number of seconds is expected" in desk.problem(MINUTE, "list")
    desk.write("[schedules")
    assert desk.problem(MINUTE, "pace").startswith("goatherd.toml cannot be read")


def test_the_table_of_schedules_is_no_mistake_whatever_its_lines(desk: Desk) -> None:
    desk.write("concurrency = 3\n[schedules]\n'anything at all' = '@daily'")
    assert read_settings("shop", Sources({}, {}, desk.file))[0].concurrency == 3
    desk.write("schedules = 3")
    with pytest.raises(SettingsError, match=r"it must be a table, \[schedules\]"):
        read_settings("shop", Sources({}, {}, desk.file))
