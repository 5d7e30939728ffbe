"""The tasks on a database of the test's own, with the clock in its hands."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from examples.comments.api import accepting
from examples.comments.database.opening import database_at
from examples.comments.herd import comments, settings
from examples.comments.worker import service
from examples.running.database.database import Database
from goatherd.testing import Herd, testing


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """Opened by the tasks' own lifespan."""
    file = database_at(f"sqlite:///{tmp_path}/posts.db")
    for module in (service, accepting):
        monkeypatch.setattr(module, "database", file)
    monkeypatch.setattr(service, "settings", replace(settings, pause=0.0, worker="test"))
    return file


@pytest.fixture
async def herd(database: Database) -> AsyncIterator[Herd]:
    async with testing(comments) as opened:
        yield opened
