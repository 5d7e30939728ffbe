"""The run of all tests: a few that failed beside others are tried once more, alone, and what is wrong stays wrong."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from scripts.suite import FAILED, MOST, bare, main, tried


@pytest.mark.parametrize(
    ("name", "test"),
    [
        ("tests/a.py::test_it", "tests/a.py::test_it"),
        ("tests/a.py::test_it@browser", "tests/a.py::test_it"),
        ("tests/a.py::test_it[sqlite]@harmed broker", "tests/a.py::test_it[sqlite]"),
        ("tests/a.py::test_it[a@b]", "tests/a.py::test_it[a@b]"),
        ("tests/a@b.py::test_it", "tests/a@b.py::test_it"),
    ],
)
def test_a_test_is_known_without_its_group(name: str, test: str) -> None:
    assert bare(name) == test


class Runs:
    """What pytest was asked, and what it answered."""

    def __init__(self, *codes: int) -> None:
        self._codes = list(codes)
        self.asked: list[Sequence[str]] = []

    def __call__(self, options: Sequence[str]) -> int:
        self.asked.append(options)
        return self._codes.pop(0)


def test_what_failed_is_tried_once_more_alone(capsys: pytest.CaptureFixture[str]) -> None:
    runs = Runs(1, 0)
    assert tried(["-q"], runs, lambda: ["tests/a.py::test_it@browser", "tests/a.py::test_it@browser"]) == 0
    assert runs.asked[1] == ["-n", "0", "tests/a.py::test_it"]
    assert "tests/a.py::test_it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("codes", "failed", "code"),
    [
        ((0,), [], 0),
        ((1, 1), ["a"], 1),
        ((1,), list("abcdefgh")[: MOST + 1], 1),
        ((2,), ["a"], 2),
        ((1,), [], 1),
    ],
)
def test_what_is_wrong_stays_wrong(codes: tuple[int, ...], failed: list[str], code: int) -> None:
    assert tried([], Runs(*codes), lambda: failed) == code


def test_with_a_real_test_that_passes_only_the_second_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "test_luck.py").write_text(
        "from pathlib import Path\n"
        "def test_luck():\n"
        "    before = Path('tried')\n"
        "    lucky = before.exists()\n"
        "    before.touch()\n"
        "    assert lucky\n"
    )
    (tmp_path / "conftest.py").write_text((Path(__file__).parents[1] / "conftest.py").read_text())
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = servers\n")
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    )
    monkeypatch.delenv(FAILED, raising=False)
    monkeypatch.setattr("scripts.suite.SIDE_BY_SIDE", ("-n", "0"))
    monkeypatch.chdir(tmp_path)
    assert main(["-q"]) == 0
    assert "passed only alone" in capfd.readouterr().err
