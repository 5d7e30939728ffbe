"""An app on a file of its own."""

from pathlib import Path
from typing import Any

import pytest

from goatherd import Goatherd, Retry


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Goatherd:
    monkeypatch.chdir(tmp_path)
    return Goatherd("media", broker_url=f"sqlite:///{tmp_path}/jobs.db", retry=Retry(7), payload_limit=1000)


@pytest.fixture
def p(app: Goatherd) -> Any:
    return app.pipeline("p", takes=int, gives=str)
