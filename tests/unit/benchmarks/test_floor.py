import shutil
from pathlib import Path

import pytest

from benchmarks.contender import CannotBeMeasured
from benchmarks.rabbitmq_bare import librabbitmq
from benchmarks.rabbitmq_bare.librabbitmq import FloorClient

CLIENT = FloorClient(queue_type="quorum")


def test_without_a_compiler_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shutil, "which", lambda program: None)
    with pytest.raises(CannotBeMeasured, match=r"no cc.*librabbitmq-dev"):
        CLIENT.program(tmp_path)


def test_what_is_compiled_is_used_until_its_source_changes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    built: list[Path] = []

    def build(binary: Path) -> None:
        built.append(binary)
        binary.touch()

    monkeypatch.setattr(librabbitmq, "_build", build)
    assert CLIENT.program(tmp_path) == CLIENT.program(tmp_path) == [str(tmp_path / "floor")]
    assert len(built) == 1
