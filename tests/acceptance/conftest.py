"""A stage and a gate for each story."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.cli.gate import Gate
from tests.acceptance.cli.stage import Stage


@pytest.fixture(scope="session")
def bytecode(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bytecode")


@pytest.fixture
def stage(tmp_path: Path, bytecode: Path) -> Iterator[Stage]:
    made = Stage(tmp_path, bytecode)
    yield made
    made.close()


@pytest.fixture
def gate() -> Iterator[Gate]:
    with Gate() as opened:
        yield opened
