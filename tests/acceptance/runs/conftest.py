"""Every story is told on one file, and on RabbitMQ and Redis."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.acceptance.calls.conftest import broker_url, events_url, stores
from tests.acceptance.runs.notes import Notes

__all__ = ["broker_url", "events_url", "stores"]


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Notes:
    """What jobs leave behind."""
    file = tmp_path / "notes"
    file.touch()
    monkeypatch.setenv("OFFICE_NOTES", str(file))
    return Notes(file)


@pytest.fixture
def office(broker_url: str, events_url: str, notes: Notes, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The program, as if its process had just begun."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    monkeypatch.setenv("GOATHERD_BROKER_URL", broker_url)
    monkeypatch.setenv("GOATHERD_EVENTS_URL", events_url)
    monkeypatch.setenv("GOATHERD_GRACE_PERIOD", "0")
    monkeypatch.setenv("GOATHERD_PAYLOAD_LIMIT", "4000")
    monkeypatch.setenv("GOATHERD_DEPLOY_GRACE", "0")
    yield importlib.import_module("office")
    del sys.modules["office"]
