"""An app on a file of its own."""

from pathlib import Path

import pytest

from goatherd import Goatherd, Retry


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Goatherd:
    monkeypatch.chdir(tmp_path)
    # Tests say when it looks.
    return Goatherd("shop", broker_url=f"sqlite:///{tmp_path}/jobs.db", retry=Retry(0), metrics_every=3600)
