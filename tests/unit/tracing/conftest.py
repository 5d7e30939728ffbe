"""Every test here is recorded."""

from collections.abc import Iterator

import pytest

from tests.tracing_in_memory import Story, recorded


@pytest.fixture
def story() -> Iterator[Story]:
    with recorded() as story:
        yield story
