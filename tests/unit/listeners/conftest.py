"""An app with a file of its own."""

from pathlib import Path

import pytest

from goatherd import Goatherd
from tests.unit.listeners.hall import make


@pytest.fixture
def app(tmp_path: Path) -> Goatherd:
    return make(tmp_path)
