"""Runs are told in one line each, and their steps as the code and the record have them."""

import time
from collections.abc import Sequence
from io import StringIO
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from rich.console import Console

from goatherd import Goatherd
from goatherd.cli import run_tables
from goatherd.cli.run_tables import run_table
from goatherd.desk.errors import NotThere
from goatherd.desk.run_finding import check_pipeline, check_step, find_run
from goatherd.desk.run_looks import look_json, short_run, steps_of
from goatherd.model.run_record import RunFilter, RunLook, RunSummary
from tests.unit.cli.run_parts import NOW, step, step_code, step_look, summary, trouble

UUID = "0199f0a2-8c1e-7d3a-9b5e-2f6a1c4d8e90"


@pytest.fixture(autouse=True)
def _time_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_tables, "time", SimpleNamespace(time=lambda: NOW))


def written(table: Any, width: int = 200) -> list[str]:
    console = Console(width=width, file=StringIO())
    console.print(table)
    return console.file.getvalue().splitlines()  # type: ignore[attr-defined, no-any-return]  # it is the one we gave


def test_a_line_says_where_a_run_is_or_why_it_failed() -> None:
    going = summary(UUID, now_at=("asr", "poster"))
    failed = summary(state="failed", ended_at=NOW - 60, now_at=("tts",), trouble=trouble("no\nvoice"))
    cancelled = summary("video-8", state="cancelled", ended_at=NOW, trouble=trouble())
    lines = [line.split() for line in written(run_table([going, failed, cancelled]))[2:]]
    assert lines[0] == ["2f6a1c4d8e90", "dub", "running", "1/3", "1m30s", "ago", "1m30s", "asr,", "poster"]
    assert lines[1] == [
        "video-7",
        "dub",
        "failed",
        "1/3",
        "1m30s",
        "ago",
        "30s",
        *("tts:", "ValueError:", "no", "voice"),
    ]
    assert lines[2] == ["video-8", "dub", "cancelled", "1/3", "1m30s", "ago", "1m30s"]


def test_in_a_narrow_terminal_the_reason_gives_way() -> None:
    long = summary(UUID, state="failed", now_at=("tts",), trouble=trouble("a provider that talks and talks and talks"))
    [line] = written(run_table([long]), 80)[2:]
    assert len(line) <= 80
    assert line.endswith("…")


def test_an_id_that_a_user_chose_is_shown_in_full() -> None:
    assert short_run(UUID) == "2f6a1c4d8e90"
    assert short_run("the-dubbing-of-video-7") == "the-dubbing-of-video-7"


@pytest.mark.parametrize(
    ("state", "known", "word"),
    [
        ("waiting", {}, "waiting"),
        ("ready", {"phase": "compensate", "compensating": 1}, "compensating"),
        ("spread", {"running": 1, "compensating": 1}, "running"),
        ("spread", {"compensating": 1}, "compensating"),
        ("spread", {}, "ready"),
        ("spread", {"failed": 1, "running": 2}, "failed"),
        ("failed", {"phase": "compensate", "failed": 1}, "failed"),
    ],
)
def test_a_step_is_told_in_one_word(state: str, known: dict[str, Any], word: str) -> None:
    assert step("a", state, **known).state == word


def test_steps_of_the_code_come_before_those_that_only_the_run_has() -> None:
    look = RunLook(
        summary=summary(),
        input=b"{}",
        steps=[step_look("gone", "ready"), step_look("b", "done"), step_look("a", "done")],
    )
    code: Any = SimpleNamespace(steps={"a": step_code(), "b": step_code("a"), "new": step_code("b")})
    facts = steps_of(look, code)
    assert [(each.name, each.look is None, each.code is None) for each in facts] == [
        ("a", False, False),
        ("b", False, False),
        ("new", True, False),
        ("gone", False, True),
    ]
    assert [each.name for each in steps_of(look, None)] == ["gone", "b", "a"]


def test_programs_get_times_and_no_secrets() -> None:
    look = RunLook(summary=summary(trouble=trouble()), input=b'{"password": "hush"}', steps=[])
    facts = [
        step("a", "done", started_at=NOW - 5, ended_at=NOW),
        step("b", "spread", "a", is_map=True, trouble=trouble()),
    ]
    told = msgspec.json.decode(msgspec.json.encode(look_json(Goatherd("shop"), look, facts)))
    assert told["input"] == {"password": "***"}
    assert told["created_at"] == time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(NOW - 90))
    assert (told["trouble"]["error_type"], told["steps_done"]) == ("ValueError", 1)
    assert told["steps"][0]["ended_at"] == time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(NOW))
    assert (told["steps"][1]["after"], told["steps"][1]["map"], told["steps"][1]["in_code"]) == (["a"], True, True)


class Records:
    """Runs by id."""

    def __init__(self, *runs: RunSummary) -> None:
        self._runs = {run.id: run for run in runs}

    async def find(self, wanted: RunFilter, limit: int) -> Sequence[RunSummary]:
        return list(self._runs.values())[:limit]

    async def look(self, run: str) -> RunLook | None:
        return RunLook(summary=self._runs[run], input=b"{}", steps=()) if run in self._runs else None


async def test_a_run_is_found_by_its_id_or_the_end_of_it() -> None:
    app, records = Goatherd("shop"), Records(summary("video-7"), summary("audio-of-video-7"), summary(UUID))
    assert (await find_run(app, records, "video-7")).summary.id == "video-7"  # type: ignore[arg-type]
    assert (await find_run(app, records, "4d8e90")).summary.id == UUID  # type: ignore[arg-type]
    with pytest.raises(NotThere, match="The ids of 2 runs end with 'ideo-7'"):
        await find_run(app, records, "ideo-7")  # type: ignore[arg-type]
    with pytest.raises(NotThere, match=r"There is no run 'video-9'\. Did you mean 'video-7'\?"):
        await find_run(app, records, "video-9")  # type: ignore[arg-type]
    with pytest.raises(NotThere, match=r"'8e90': .*the last 6 or more characters"):
        await find_run(app, records, "8e90")  # type: ignore[arg-type]


async def test_an_app_without_pipelines_says_so() -> None:
    with pytest.raises(NotThere, match=r"no runs are on record here\. The app 'shop' has no pipelines"):
        await find_run(Goatherd("shop"), Records(), "video-7")  # type: ignore[arg-type]
    with pytest.raises(NotThere, match="The app 'shop' has no pipelines"):
        check_pipeline(Goatherd("shop"), "dub")


def test_the_nearest_step_is_named() -> None:
    with pytest.raises(NotThere, match=r"Pipeline 'dub' has no step 'translat'\. Did you mean 'translate'\?"):
        check_step("translat", ["asr", "translate"], "Pipeline 'dub' has")
    with pytest.raises(NotThere, match="There are asr, tts"):
        check_step("x", ["asr", "tts"], "Pipeline 'dub' has")
