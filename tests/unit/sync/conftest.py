"""An app on a file of its own, used by threads."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from goatherd import Goatherd
from goatherd.sync import blocking


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Goatherd]:
    monkeypatch.chdir(tmp_path)
    opened = Goatherd("shop", broker_url=f"sqlite:///{tmp_path}/jobs.db", publish_deadline=5, call_deadline=10)

    @opened.task
    async def double(number: int) -> int:
        return 2 * number

    yield opened
    blocking(opened).close()
