from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks.contender import CannotBeMeasured
from benchmarks.running import gather, turned
from benchmarks.settings import Entry

FLOOR = Entry(setting="rabbitmq_bare", name="librabbitmq")


class Absent(SimpleNamespace):
    def program(self, folder: Path) -> Sequence[str]:
        raise CannotBeMeasured("there is no compiler")


def test_each_repetition_begins_with_another_contender() -> None:
    entries = [Entry(setting="sqlite", name=name) for name in "abc"]
    assert [entry.name for entry in turned(entries, 4)] == ["b", "c", "a"]


def test_one_that_cannot_be_measured_is_left_out_and_told_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    absent = Absent(label="C", package="", promise=None, queue_type="quorum")
    monkeypatch.setattr(Entry, "load", lambda entry: absent if entry == FLOOR else SimpleNamespace())
    other = Entry(setting="sqlite", name="goatherd")
    present = gather([other, FLOOR, FLOOR], tmp_path)
    assert list(present.contenders) == [other]
    assert present.absences == ["there is no compiler"]
