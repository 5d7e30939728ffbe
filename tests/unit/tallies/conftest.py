"""An app with a tally, on a file of its own."""

from pathlib import Path

import pytest

from goatherd import Goatherd, Tally


@pytest.fixture
def app(tmp_path: Path) -> Goatherd:
    return Goatherd("shop", broker_url=f"sqlite:///{tmp_path}/jobs.db")


@pytest.fixture
def gifts(app: Goatherd) -> Tally:
    return app.tally("pending_gift")
