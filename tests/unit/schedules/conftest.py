"""An app on a file of its own."""

from pathlib import Path

import pytest

from goatherd import Goatherd


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Goatherd:
    monkeypatch.chdir(tmp_path)
    return Goatherd("clocks", broker_url=f"sqlite:///{tmp_path}/jobs.db")
