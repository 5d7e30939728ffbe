"""Schedules are seen, paused, resumed and fired by hand; the command line as operators have it."""

import itertools
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.acceptance.cli.stage import PATIENCE, Stage

APP = """
from goatherd import Goatherd

app = Goatherd("almanac")

@app.cron("0 0 2 * * *", tz="Asia/Tokyo", setting="ARCHIVE_CRON")
async def archive() -> None: ...

@app.every(3600)
async def tidy() -> None: ...

@app.every(300, after_end=True)
async def count() -> None: ...

@app.cron("-")
async def off() -> None: ...
"""


class Almanac:
    """The app of the stories."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        (stage.folder / "almanac.py").write_text(APP, encoding="utf-8")

    def say(self, command: str, *arguments: str, code: int = 0, **environment: str) -> str:
        done = self.stage.run("schedules", command, "almanac:app", *arguments, code=code, **environment)
        return done.stderr if code else done.stdout

    def json(self, command: str, *arguments: str) -> Any:
        return self.stage.json("schedules", command, "almanac:app", *arguments)

    def schedule(self, name: str) -> dict[str, Any]:
        [found] = [schedule for schedule in self.json("list") if schedule["name"] == name]
        return dict(found)

    def wait_for(self, name: str, state: str) -> dict[str, Any]:
        """The schedule, as soon as its newest tick is in that state."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            told = self.schedule(name)
            if told["last"] is not None and told["last"]["state"] == state:
                return told
        raise AssertionError(f"{name} was not {state} within {PATIENCE:g} s: {told}")


@pytest.fixture
def almanac(stage: Stage) -> Almanac:
    return Almanac(stage)


def test_schedules_are_shown_before_any_scheduler_has_run(almanac: Almanac) -> None:
    told = almanac.say("list")
    assert "0 0 2 * * * Asia/Tokyo" in told
    assert "300 s after the end" in told
    assert "No scheduler has run yet" in told
    assert "4 schedules." in told
    archive = almanac.schedule("archive")
    assert (archive["on_record"], archive["origin"], archive["last"]) == (False, "code", None)
    assert datetime.fromisoformat(archive["next_at"]).hour == 17
    refused = almanac.say("pause", "archive", code=1)
    assert "not on record yet" in refused
    assert "There is no schedule 'archiv'. Did you mean 'archive'?" in almanac.say("trigger", "archiv", code=1)


def test_the_next_times_are_told_in_utc_and_in_the_zone_of_the_schedule(almanac: Almanac) -> None:
    before = datetime.now(UTC)
    told = almanac.json("next", "archive", "--count", "3")
    assert [entry["local"][10:] for entry in told] == ["T02:00:00+09:00"] * 3
    ticks = [datetime.fromisoformat(entry["tick"]) for entry in told]
    assert ticks[0] > before
    assert [later - earlier for earlier, later in itertools.pairwise(ticks)] == [timedelta(days=1)] * 2
    everything = almanac.say("next", "--count", "2", ARCHIVE_CRON="0 30 4 * * *")
    assert everything.count("04:30:00") == everything.count("19:30:00") == 2
    assert "count: 300 s after the end." in everything
    assert "off: never." in everything
    wrong = almanac.say("next", code=1, ARCHIVE_CRON="0 0 25 * * *")
    assert "ARCHIVE_CRON is '0 0 25 * * *'" in wrong


def test_a_paused_schedule_is_fired_by_hand_and_resumed(almanac: Almanac) -> None:
    almanac.stage.start("run", "almanac:app", "--roles", "worker,scheduler").hear("Taking jobs")
    assert almanac.wait_for("count", "done")["rule"]["timing"] == {"type": "delay", "seconds": 300.0}
    assert "archive is paused" in almanac.say("pause", "archive")
    firing = almanac.json("trigger", "archive")["firing"]
    assert firing["triggered"]
    done = almanac.wait_for("archive", "done")
    assert (done["paused"], done["next_at"]) == (True, None)
    assert (done["last"]["id"], done["last_end"]["id"]) == (firing["id"], firing["id"])
    assert "archive is paused, so it does not fire" in almanac.say("next", "archive")

    before = datetime.now(UTC)
    assert "archive fires again" in almanac.say("resume", "archive")
    resumed = almanac.schedule("archive")
    assert not resumed["paused"]
    assert datetime.fromisoformat(resumed["next_at"]) > before
