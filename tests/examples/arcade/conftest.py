"""The game in a file of the test's own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from examples.arcade.batch import fixed, gifts, inboxes, letters, listeners, service
from examples.arcade.batch.jobs import prizes, ticks
from examples.arcade.database.tables import game_at
from examples.arcade.herd import arcade
from examples.running.database.database import Database
from goatherd.testing import Herd, testing


@pytest.fixture
async def game(tmp_path: Path) -> AsyncIterator[Database]:
    """Opened by the test."""
    file = game_at(f"sqlite:///{tmp_path}/game.db")
    await file.open()
    yield file
    await file.close()


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """Opened by the tasks' own lifespan."""
    file = game_at(f"sqlite:///{tmp_path}/tasks.db")
    for module in (fixed, gifts, inboxes, letters, listeners, service, prizes, ticks):
        monkeypatch.setattr(module, "database", file)
    return file


@pytest.fixture
async def herd(database: Database) -> AsyncIterator[Herd]:
    async with testing(arcade) as opened:
        yield opened
