"""A virtual host of its own for each story."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.servers.addresses import management
from tests.acceptance.topology.ground import Ground


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[Ground]:
    with management().virtual_host() as virtual_host:
        yield Ground(virtual_host, tmp_path)
