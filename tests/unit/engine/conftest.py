from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goatherd import Goatherd, Retry
from tests.unit.engine.stage import HandClock


@pytest.fixture
def make_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Goatherd]:
    """Make an app on a file of this test; all of them share it."""
    monkeypatch.chdir(tmp_path)

    def make(name: str = "shop", **settings: Any) -> Goatherd:
        return Goatherd(name, **{"broker_url": f"sqlite:///{tmp_path}/jobs.db", "retry": Retry(0), **settings})

    return make


@pytest.fixture
def app(make_app: Callable[..., Goatherd]) -> Goatherd:
    """An app whose jobs are tried once."""
    return make_app()


@pytest.fixture
def clock(app: Goatherd) -> HandClock:
    """The app's clock, in the test's hand."""
    hand = HandClock()
    app.clock = hand
    return hand
